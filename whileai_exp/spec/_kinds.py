"""What sort of thing an argument is (an email, a person's name, an order id), read from its name, then its description.

The rules are tried in order and the first match wins, so the specific ones stand first. Names decide before
descriptions: a `receiver_name` described as "the user to send to" is a person's name.
"""

from __future__ import annotations

import re
from functools import lru_cache

from .effects import words_of

_BY_NAME: tuple[tuple[str, str], ...] = tuple(
    (pattern, kind)
    for kind, pattern in (
        ("password", r"_(?:password|passwd|pwd|pin|pin_code|passcode|otp|cvv)_"),
        ("token", r"_(?:token|tokens|api_key|apikey|access_key|auth|authorization|bearer|credential|secret)_$"),
        ("email", r"_(?:e_?mail|emails|mail|email_address|cc|bcc)_$"),
        ("phone", r"_(?:phone|telephone|mobile|fax|phone_number|contact_number|cell)_$|_phone_"),
        ("base64", r"_(?:photo|image|picture|avatar|base64)_$"),
        ("url", r"_(?:url|urls|uri|link|website|webpage|href|endpoint|webhook)_$"),
        ("repo", r"_(?:repo|repository)(?:_path)?_$"),
        ("branch", r"_branch(?:_name)?_$"),
        ("revision", r"_(?:sha|revision|commit_id|commit_sha|commit_hash|contains)_$"),
        ("hash", r"_(?:hash|checksum|digest|etag)_$"),
        ("pattern", r"_(?:pattern|patterns|glob|regex|exclude_patterns)_$"),
        ("folder", r"_(?:folder|directory|dir|cwd)(?:_path)?_$"),
        ("path", r"_(?:path|paths|file|files|filename|file_name|file_path|filepath|attachment|attachments)_$"),
        ("timezone", r"_(?:timezone|time_zone|tz)_$"),
        ("birth", r"_(?:dob|birth|birthday|birthdate|date_of_birth|birth_date)_"),
        ("date_range", r"_(?:date_range|period|time_range)_$"),
        ("datetime", r"_(?:datetime|timestamp|time_verified|created_at|updated_at|before|after|since|until)_$|_timestamp_"),
        ("date", r"_(?:date|day|check_in|check_out|checkin|checkout|deadline|due)_|_dates?_$"),
        ("time", r"_time_$|_(?:hour|clock)_$|_time_(?:of|slot)"),
        ("first_name", r"_(?:first|given|fore)_?name_"),
        ("last_name", r"_(?:last|family|sur)_?name_"),
        ("app", r"_(?:app|application)(?:_name)?_$"),
        ("merchant", r"_(?:merchant|vendor|seller|shop|store)(?:_name)?_$"),
        ("hotel", r"_hotels?(?:_names?)?_$"),
        ("restaurant", r"_restaurants?(?:_names?)?_$"),
        ("company", r"_(?:company|organi[sz]ation|employer|supplier|provider|carrier|bank|airline|brand)(?:_names?)?_$"),
        ("group", r"_(?:group|team|user_?group|channel|community)(?:_name)?_$"),
        ("branch_type", r"_branch_type_$"),
        ("username", r"_(?:username|user_name|login|handle|nickname|screen_name)_$"),
        ("person", r"_(?:full_name|customer_name|person|author|owner|sender|receiver|recipients?|participants?|guest|passenger)(?:_names?)?_$"),
        ("person", r"_(?:patient|employee|student|contact|assignee|invitees?|attendees?|members?)(?:_names?)?_$"),
        ("entity_type", r"_entity_type_$"),
        ("relation", r"_relation_?(?:type)?_$"),
        ("entity", r"_entity_?names?_$"),
        ("observation", r"_observations?_$"),
        ("thought", r"^_thought_$"),
        ("address2", r"_(?:address_?2|address_line_?2|apt|apartment|suite|unit_number)_$"),
        ("street", r"_(?:address_?1|address_line_?1|street|street_address)_$"),
        ("zip", r"_(?:zip|zipcode|zip_code|postal|postal_code|postcode)_"),
        ("currency", r"_currenc(?:y|ies)(?:_code)?_|_(?:from|to)_currency_"),
        ("airport", r"_(?:airport|iata)(?:_code)?_"),
        ("city", r"_(?:city|cities|town|origin|destination|departure|arrival|from_location|to_location|location|place|from|to)_$|_city_"),
        ("country", r"_(?:country|nation|nationality|countries)(?:_code)?_$"),
        ("region", r"_(?:region|province|county|area|district)_$"),
        ("state", r"_state_$"),
        ("address", r"_(?:address|addresses)_$|_address_"),
        ("flight", r"_flight(?:_number|_no|_code|_id)?_$"),
        ("seat_request", r"_seat_request_$"),
        ("seat", r"_seat(?:_number|_no)?_$|_new_seat_$"),
        ("confirmation", r"_(?:confirmation|confirmation_number|confirmation_code|booking_reference|record_locator|pnr|booking_code)_$"),
        ("card", r"_(?:card_number|credit_card|credit_card_number|cc_number)_$"),
        ("quantity", r"_(?:gb|mb|data)_amount_$"),
        ("thoughts", r"\w_thoughts?_$|_thought_number_$"),
        ("amount", r"_(?:amount|price|cost|budget|fee|salary|balance|payment|total|income|fare|deposit|max_price|min_price|tip)_"),
        ("percent", r"_(?:percent|percentage|rate|interest|ratio|discount)_$|_rate_$"),
        ("rating", r"_(?:rating|stars|score)_$"),
        ("year", r"_years?_$"),
        ("month", r"_months?_$"),
        ("duration", r"_(?:duration|minutes|hours|seconds|interval|timeout|days|nights|weeks)_$"),
        ("page", r"_(?:page|offset|start|start_index|index|cursor)_$"),
        ("limit", r"_(?:limit|page_size|per_page|max_results|max_count|top_k|top|n|max_length|head|tail|context_lines|results)_$|_max_"),
        ("quantity", r"_(?:quantity|qty|count|guests|passengers|people|number_of_\w+|num_\w+|seats|tickets|adults|children|party_size)_$"),
        ("quantity", r"_(?:copies|number|units|persons|rooms)_$"),
        ("latitude", r"_lat(?:itude)?_$"),
        ("longitude", r"_(?:lon|lng|long|longitude)_$"),
        ("temperature", r"_temp(?:erature)?_$"),
        ("age", r"_age_$"),
        ("weight", r"_(?:weight|height|width|length|distance|size_gb)_$"),
        ("expression", r"_(?:expression|formula|equation)_$"),
        ("reason", r"_(?:reason|justification|cause)_"),
        ("summary", r"_summary_$"),
        ("topic", r"_(?:keyword|keywords|topic|search_term)_$"),
        ("query", r"_(?:query|search|search_query|term|q|filter|text_query)_$"),
        ("question", r"_question_$"),
        ("title", r"_(?:title|subject|event|event_name|task|task_name|todo|reminder|headline|label)_$"),
        ("message", r"_(?:message|msg|body|sms|reply|comment|greeting)_$"),
        ("note", r"_(?:note|notes|description|details|remark|remarks|memo|instructions|special_requests?|caption|bio|group_description)_$"),
        ("language", r"_(?:language|lang|target_language|source_language|locale)_$"),
        ("color", r"_colou?r_$"),
        ("size", r"_size_$"),
        ("cuisine", r"_cuisine_"),
        ("genre", r"_genre_$"),
        ("category", r"_(?:category|type|kind|department_type)_$"),
        ("department", r"_department_$"),
        ("ingredient", r"_ingredients?_$"),
        ("food", r"_(?:food|dish|meal|recipe|menu_item)(?:_name)?_$"),
        ("product", r"_(?:product|products|item|items|item_name|product_name|model|device|goods)_$"),
        ("permission", r"_permissions?_$"),
        ("json", r"_(?:arguments|json|payload|metadata|params|parameters)_$"),
        ("view", r"_view_$"),
        ("tool_name", r"_tool_name_$"),
        ("code", r"_(?:code|script|sql|command|cmd)_$"),
        ("text", r"_(?:text|content|data|input|paragraph|old_text|new_text|value)_$"),
        ("id", r"_(?:id|ids|uuid|identifier|number|no|num|ref|reference|key|code|sku|iban|slug)_$"),
        ("person", r"_(?:user|customer|client|names?)_$"),
        ("thing", r"_name_$"),
    )
)  # fmt: skip
_BY_TEXT: tuple[tuple[str, str], ...] = (
    (r"unique identifier|\bidentifier\b|\bid\b|\bids\b|编号|\bID\b|식별자", "id"),
    (r"e-?mail address|邮箱|이메일", "email"),
    (r"phone number|电话|手机号|전화번호", "phone"),
    (r"YYYY|日期|날짜", "date"),
    (r"时间|시간", "datetime"),
    (r"商家|店铺|餐厅名|가게", "merchant"),
    (r"姓名|用户名|名字|이름", "person"),
    (r"关键字|关键词|搜索|키워드|검색", "query"),
    (r"标题|제목", "title"),
    (r"消息|短信|内容|메시지", "message"),
    (r"描述|备注|설명", "note"),
    (r"城市|地点|도시|위치", "city"),
    (r"地址|주소", "address"),
    (r"金额|价格|금액|가격", "amount"),
    (r"数量|개수|수량", "quantity"),
    (r"产品|商品|상품", "product"),
    (r"原因|이유", "reason"),
    (r"密码|비밀번호", "password"),
    (r"名称", "thing"),
    (r"\burl\b|\blink\b", "url"),
    (r"\bcity\b", "city"),
    (r"\bname of (?:the )?(?:person|user|customer|guest)", "person"),
)
_NAME_RULES = tuple((re.compile(pattern), kind) for pattern, kind in _BY_NAME)
_TEXT_RULES = tuple((re.compile(pattern), kind) for pattern, kind in _BY_TEXT)
_GENERIC = frozenset({"thing", "person", "text", "category", "page", "id"})
_REFINED: tuple[tuple[frozenset[str], re.Pattern[str], str], ...] = (
    (frozenset({"city", "address", "thing", "person", "path"}), re.compile(r"e-?mail addresses|email address|邮箱"), "email"),
    (frozenset({"person"}), re.compile(r"email"), "email"),
    (frozenset({"city", "path"}), re.compile(r"\bIATA\b|airport code"), "airport"),
    (frozenset({"person", "group", "company"}), re.compile(r"unique identifier|identifier|user id|\bID\b"), "id"),
    (frozenset({"datetime", "time"}), re.compile(r"HH:MM\)?(?:$|[^:])(?<!DD HH:MM)"), "time"),
    (frozenset({"message"}), re.compile(r"[Cc]ommit"), "commit"),
    (frozenset({"username"}), re.compile(r"姓名|이름"), "person"),
    (frozenset({"thing"}), re.compile(r"商品|产品|상품|product"), "product"),
    (frozenset({"thing"}), re.compile(r"用户|姓名|person|customer"), "person"),
)


@lru_cache(maxsize=8192)
def kind_of(name: str, description: str = "", owner: str = "") -> str:
    """The kind of an argument: a key of the drawing table, `thing` when nothing is recognised.

    `owner` is what the argument belongs to (a tool's or a parent object's words) and settles bare words such as
    `name`, `path` or `message`.
    """
    words = words_of(name)
    text = "_" + "_".join(words) + "_"
    kind = next((kind for rule, kind in _NAME_RULES if rule.search(text)), None)
    if kind is None or (kind in ("thing", "category") and description):
        found = next((kind for rule, kind in _TEXT_RULES if rule.search(description)), None)
        kind = found or kind or "thing"
    for kinds, rule, better in _REFINED:
        if kind in kinds and rule.search(description):
            kind = better
    return _in_context(kind, words, owner.lower(), description.lower())


def _in_context(kind: str, words: list[str], owner: str, description: str) -> str:
    bare = len(words) <= 1
    if kind in ("city", "path") and any(word in owner for word in ("file", "directory", "directories")):
        if words[-1:] in (["source"], ["destination"]):
            return "path"
        if kind == "path" and any(word in owner for word in ("directory", "directories", "search_files", "search files")):
            return "folder"
    if words == ["source"] and "file" in owner:
        return "path"
    if words[-1:] == ["source"] and ("entity" in owner or "relation" in owner):
        return "entity"
    if words in (["from"], ["to"]) and "relation" in owner:
        return "entity"
    if bare and kind == "person" and words in (["name"], ["names"]):
        for hint, better in (("entities", "entity"), ("knowledge graph", "entity"), ("node", "entity"), ("group", "group"), ("product", "product"), ("file", "path"),
                             ("hotel", "hotel"), ("restaurant", "restaurant"), ("company", "company"), ("app", "app"),
                             ("event", "title"), ("channel", "group"), ("food", "food"), ("recipe", "food"), ("device", "product")):  # fmt: skip
            if hint in owner or hint in description:
                return better
        return kind if any(word in owner or word in description for word in _PEOPLE) else "thing"
    if words in (["contents"], ["content"]) and "observation" in owner:
        return "observation"
    if kind == "message" and "commit" in owner:
        return "commit"
    if bare and kind == "topic" and ("recipe" in owner or "cook" in owner or "ingredient" in description):
        return "ingredient"
    if kind == "topic" and not any(word in owner for word in ("news", "web", "internet", "article")):
        return "query" if "news" not in description else "topic"
    if kind == "product" and any(word in owner for word in ("food", "restaurant", "meal", "外卖", "배달", "menu")):
        return "food"
    if kind == "reason" and any(word in owner for word in ("compensation", "voucher", "refund")):
        return "delay_reason" if "voucher" in owner or "flight" in owner else kind
    if kind == "reason" and any(word in owner for word in ("suspend", "pause", "freeze", "line")):
        return "pause_reason"
    if kind in ("query", "topic") and "baggage" in owner:
        return "baggage_query"
    if kind == "message" and "trip" in owner:
        return "trip_message"
    if kind == "company" and "car" in owner and "rent" in owner:
        return "car_rental"
    if words == ["target"] and "git" in owner:
        return "branch"
    return kind


_PEOPLE = (
    "user",
    "customer",
    "person",
    "member",
    "employee",
    "patient",
    "guest",
    "passenger",
    "verified",
    "contact",
    "student",
    "player",
)


@lru_cache(maxsize=2048)
def date_format_of(description: str) -> str | None:
    """The strftime form a description asks for (`MM/DD/YYYY`, `YYYY-MM-DD HH:MM`), or None."""
    found = _FORMAT.search(description)
    if found is None:
        return None
    out = found[0].replace("'", "")
    for mark, code in (("YYYY", "%Y"), ("yyyy", "%Y"), ("DD", "%d"), ("dd", "%d"), ("HH", "%H"), ("hh", "%H"), (":MM", ":%M"),
                       (":mm", ":%M"), ("MM", "%m"), (":SS", ":%S"), (":ss", ":%S")):  # fmt: skip
        out = out.replace(mark, code)
    return out


_FORMAT = re.compile(
    r"(?:(?:YYYY|yyyy)[-/.](?:MM|mm)[-/.](?:DD|dd)|(?:MM|DD)[-/.](?:DD|MM)[-/.]YYYY)(?:[T ](?:HH|hh):(?:MM|mm)(?::(?:SS|ss))?)?Z?|(?<![\w:])HH:MM(?::SS)?"
)
_QUOTED = re.compile(r"""(?<![\w'"])['"“‘`]([^'"”’`\n]{1,60})['"”’`](?!\w)""")
_CHOICES = re.compile(
    r"\b(?:either|one of|must be|should be|can be|could be|whether to|options?|acceptable|allowed|valid)\b|可选|之一"
)


@lru_cache(maxsize=2048)
def examples_in(description: str) -> tuple[str, ...]:
    """Values that a description quotes as examples or choices."""
    return tuple(dict.fromkeys(part.strip() for part in _QUOTED.findall(description) if part.strip()))


def offers_choices(description: str) -> bool:
    """Whether the quoted values are the choices rather than examples."""
    return len(examples_in(description)) >= 2 and bool(_CHOICES.search(description.lower()))
