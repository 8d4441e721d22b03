"""The words that drawn values are made of: people, places, products, small texts, per language.

Plain data. Every list is ordered and only ever appended to: a draw is an index into it, so an insertion changes rows.
"""

from __future__ import annotations

from collections.abc import Mapping


def _words(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split("|") if part.strip())


_EN: dict[str, str] = {
    "first": "Maria|James|Aisha|Liam|Chen|Olivia|Mateo|Fatima|Noah|Priya|Sofia|Daniel|Yuki|Ethan|Amara|Lucas|Hannah|Omar|Grace|Ivan|Chloe|"
    "Raj|Emily|Diego|Nora|Samuel|Leila|Victor|Ana|Marcus|Ingrid|Kevin|Zoe|Ahmed|Julia|Peter|Mei|Thomas|Rosa|Henry",
    "last": "Johnson|Garcia|Nguyen|Patel|Rossi|Kim|Silva|Ahmed|Muller|Brown|Kowalski|Santos|Lee|Hernandez|Okafor|Davis|Ito|Martin|Khan|Lopez|"
    "Anderson|Moreau|Taylor|Novak|Wilson|Jackson|Ali|Thompson|Schmidt|Clark|Sanchez|Walker|Li|Young|Costa|Hill|Baker|Park|Reyes|Ward",
    "city": "San Francisco|Paris|Tokyo|London|Chicago|Seattle|Denver|Madrid|Austin|Toronto|Berlin|Boston|Lisbon|Miami|Rome|Amsterdam|Dublin|"
    "New York|Barcelona|Portland|Vienna|Sydney|Atlanta|Prague|Houston|Copenhagen",
    "country": "USA|France|Japan|Germany|Canada|Spain|Italy|Portugal|Australia|Ireland|Mexico|Brazil",
    "region": "California|Texas|New York|Washington|Colorado|Illinois|Ontario|Bavaria|Florida|Oregon",
    "state": "CA|TX|NY|WA|CO|IL|FL|OR|MA|GA|AZ|NC",
    "street": "Main St|Oak Avenue|Maple Drive|Elm Street|Cedar Lane|Park Avenue|River Road|Sunset Boulevard|Hillcrest Road|Lake Street|"
    "Highland Drive|Chestnut Street|Willow Lane|Pine Street|Broadway",
    "hotel": "Riverside Inn|Grand Central Hotel|Seaview Lodge|The Maple House|City Garden Hotel|Harbor Suites|Hotel Bellevue|Old Town Hotel|"
    "Park Plaza|Sunrise Resort|Blue Lantern Hotel|Station Lodge",
    "restaurant": "La Piazza|Golden Dragon|Bistro Lumiere|Spice Route|Sakura House|The Green Table|Casa Verde|Harbor Grill|Olive & Thyme|"
    "Noodle Corner|Taverna Nikos|Copper Kettle",
    "company": "Northwind Traders|Bluebird Logistics|Summit Labs|Cedar & Co|Brightway Rentals|Harbor Analytics|Greenfield Foods|Atlas Motors|"
    "Pioneer Media|Silverline Travel|Orchid Health|Redwood Partners",
    "car_rental": "Speedy Rentals|City Wheels|Open Road Cars|Green Motion Hire|Coastline Car Rental|Budget Wheels|Prime Drive|Metro Car Hire",
    "merchant": "Luigi's Pizzeria|Sunny Bakery|Fresh Corner Market|Tokyo Sushi Bar|Burger Junction|Noodle House|Green Bowl|Cafe Aurora",
    "product": "wireless mouse|desk lamp|hiking backpack|mechanical keyboard|water bottle|running shoes|coffee maker|tea kettle|smart watch|"
    "bluetooth speaker|garden hose|yoga mat|office chair|espresso machine|laptop stand|phone case|electric toothbrush|rain jacket",
    "food": "margherita pizza|chicken burrito|pad thai|veggie burger|tomato soup|caesar salad|beef tacos|sushi platter|mushroom risotto|cheesecake|apple pie|miso soup|chicken burger",
    "ingredient": "tomatoes|chickpeas|salmon|kimchi|mushrooms|pumpkin|lentils|tofu|eggplant|spinach|shrimp|sweet potatoes",
    "app": "Messages|Maps|Calendar|Photos|Spotify|WhatsApp|Camera|Notes|Chrome|Instagram",
    "title": "Dentist appointment|Team lunch|Project kickoff|Pick up the dry cleaning|Quarterly review|Call the landlord|Yoga class|"
    "Budget meeting|Parent-teacher meeting|Renew the car insurance|Book club|Doctor's appointment|Gym session|Water the plants|"
    "Design review|Flight check-in|Buy a birthday present|Pay the rent|Weekly sync|Dinner with Sam",
    "message": "I'm running about ten minutes late, sorry!|Could you send me the slides before noon?|Dinner is at seven, see you there.|"
    "Please call me back when you get a chance.|The meeting has moved to room 4.|Happy birthday! Hope you have a great day.|"
    "Thanks again for your help yesterday.|I left the keys with the neighbour.|Can we move our call to Thursday?|"
    "The package arrived this morning.|Don't forget the tickets tonight.|I'll be out of the office on Friday.",
    "note": "Please leave it at the front desk.|Needs to be done before the weekend.|Bring the signed forms.|Ask for the blue folder.|"
    "Second floor, next to the elevator.|Follow up on last week's discussion.|Check the numbers with finance first.|Vegetarian option, please.|"
    "Bring the parking ticket.|Confirm with the team in the morning.",
    "summary": "I was charged twice and the usual steps did not help|my account is locked and I have tried everything|I want to dispute the decision on my refund|"
    "the address cannot be changed online|I have a question about my contract that nobody could answer|a repair was promised and nobody came|"
    "I have had the same problem three times this month|I got two different answers to the same question|somebody else may have used my account",
    "baggage_query": "a second checked bag|carry-on bags|overweight bags|sports equipment|a stroller and a car seat|checked bags|musical instruments",
    "trip_message": "my flight from Paris was delayed and I missed the connection in New York|my connection to Austin was cancelled|"
    "I'm stuck in New York on the way to Austin|I land in New York too late for my Austin flight|my trip from Paris to Austin fell apart after a delay",
    "delay_reason": "my flight was delayed by five hours|I missed my connection because of the delay|my flight was cancelled overnight|"
    "I had to pay for a hotel myself after the delay|we sat on the runway for three hours",
    "pause_reason": "I'm travelling abroad for a while|I lost my phone|I won't need it over the summer|I'm between jobs and need to save money|my phone is being repaired",
    "reason": "I ordered it by mistake|I no longer need it|my plans have changed|I found a better price elsewhere|it arrived damaged|"
    "I'm travelling abroad for a while|I'm moving to another city|it took too long|I picked the wrong date|a family emergency came up",
    "query": "quarterly budget|parking permits|vacation policy|project deadline|invoice from March|onboarding checklist|travel expenses|"
    "server outage|holiday schedule|team offsite|security training|customer survey|release notes|lunch menu|marketing plan",
    "topic": "electric cars|solar energy|interest rates|the housing market|space exploration|the World Cup|artificial intelligence|"
    "climate policy|the local elections|semiconductor exports|the film festival|public transport|coffee prices|remote work",
    "question": "How much luggage can I bring?|What time does check-in close?|Do you offer a student discount?|Can I bring my dog?|"
    "Is there wifi on board?|How long do refunds take?|What are your opening hours?|Can I change the name on a booking?",
    "color": "black|navy blue|red|green|white|grey|yellow",
    "size": "small|medium|large|XL",
    "category": "electronics|kitchen|outdoor|books|sports|clothing|toys|health",
    "cuisine": "Italian|Japanese|Indian|Mexican|Thai|Chinese|French",
    "genre": "jazz|rock|comedy|drama|science fiction|documentary",
    "language": "English|French|Spanish|German|Japanese",
    "department": "engineering|marketing|finance|sales|support|human resources",
    "group": "Design Team|Weekend Hikers|Finance Reviewers|Product Leads|Support Squad|Book Club",
    "file": "report.txt|notes.md|budget.csv|readme.md|config.json|todo.txt|summary.docx|schedule.txt|photo.png|data.csv|draft.md|changelog.md",
    "folder": "/home/alex/documents|/home/alex/projects|/home/alex/downloads|/srv/shared/reports|/home/alex/notes|/srv/shared/archive",
    "repo": "/home/alex/projects/webshop|/home/alex/projects/blog|/home/alex/projects/billing|/srv/git/mobile-app|/home/alex/projects/dashboard",
    "branch": "feature/login-page|fix/typo-in-readme|release-2.4|feature/dark-mode|hotfix/payment-timeout|develop|cleanup-tests",
    "commit": "Fix the date format on invoices|Add a retry to the upload step|Update the readme with setup notes|Remove the unused settings page|"
    "Handle empty search results|Rename the billing module",
    "pattern": "*.md|*.txt|report*|*.log|*.csv|*draft*|*.py",
    "website": "https://example.com/news|https://example.org/docs/setup|https://example.com/pricing|https://example.org/blog/release-notes|"
    "https://example.com/contact|https://example.net/events",
    "timezone": "America/New_York|Europe/London|Asia/Tokyo|Europe/Paris|America/Los_Angeles|Asia/Singapore|Australia/Sydney|Europe/Berlin",
    "entity": "Apollo Project|Nora Hill|Northwind Traders|Customer Portal|Berlin Office|Marcus Ward|Data Platform|Annual Conference",
    "entity_type": "person|project|company|office|product|event",
    "relation": "works on|manages|depends on|belongs to|reports to|is located in",
    "observation": "Prefers morning meetings|Moved to the new building in May|Uses PostgreSQL|Speaks Spanish and English|"
    "Budget was approved|Launch is planned for autumn|Is on parental leave until June|Needs a new maintainer|Signed a new contract in May|Has its head office in Lisbon|"
    "Pays invoices within ten days|Opens at eight|Has two meeting rooms|Takes place in October|Needs a bigger room",
    "thought": "First, work out which of the two suppliers is cheaper overall|Compare the three routes by travel time|"
    "Split the migration into smaller steps|List what could go wrong with the launch",
    "code": "print('hello')|SELECT * FROM orders LIMIT 10",
    "text": "The new schedule starts on Monday.|Please review the attached document.|We expect about forty guests.|The printer on floor 2 is broken.|"
    "Opening hours change next month.|The first draft is ready for comments.",
    "seat_request": "a front row seat|an aisle seat near the front because of my knee|extra legroom for my leg brace|a seat next to my assistant",
    "permission": "camera|location|storage|microphone|contacts|sms",
    "view": "Team dashboard|Expense form|Welcome screen|Weekly standup form|Feedback form",
    "thing": "Aurora|Blue Heron|Meridian|Juniper|Cobalt|Silver Birch|Northstar|Lighthouse",
}
_ZH: dict[str, str] = {
    "first": "伟|芳|娜|敏|静|磊|洋|艳|勇|杰|婷|涛|明|丽|强|雪|晨|浩|佳|宇",
    "last": "王|李|张|刘|陈|杨|赵|黄|周|吴|徐|孙|朱|马|胡|林|何|郭|高|罗",
    "city": "北京|上海|广州|深圳|杭州|成都|武汉|西安|南京|重庆|苏州|厦门|青岛|长沙",
    "country": "中国|日本|法国|德国|泰国|新加坡",
    "region": "浙江|江苏|广东|四川|湖北|福建",
    "state": "浙江|江苏|广东|四川|湖北|福建",
    "street": "中山路|人民路|解放路|建设大街|和平路|长江路|文化街|学府路",
    "hotel": "锦江宾馆|如家酒店|西湖大酒店|云栖客栈|海景假日酒店|老街客栈",
    "restaurant": "海底捞|外婆家|全聚德|小杨生煎|绿茶餐厅|蜀香园",
    "company": "晨星科技|蓝海物流|远航旅行|绿野食品|云帆传媒|恒信汽车",
    "merchant": "达美乐|麦当劳|海底捞|喜茶|肯德基|小杨生煎|米村拌饭|沙县小吃",
    "product": "无线鼠标|台灯|保温杯|运动鞋|机械键盘|蓝牙音箱|雨伞|双肩包",
    "food": "玛格丽特披萨|鸡腿堡套餐|珍珠奶茶|牛肉面|麻辣香锅|生煎包|酸菜鱼|炸鸡翅|芝士葡萄茶|牛肉粉丝汤|石锅拌饭|辣牛肉汤|拌面|蒸饺",
    "ingredient": "番茄|豆腐|土豆|牛肉|香菇|茄子|南瓜|虾仁",
    "app": "微信|地图|日历|相册|音乐|相机",
    "title": "看牙医|部门会议|取快递|项目评审|交房租|健身课|给妈妈打电话|买生日礼物|家长会|续车险|接孩子|浇花|周会|预约体检",
    "message": "我大概晚到十分钟，不好意思。|今晚七点吃饭，别忘了。|有空的时候给我回个电话。|会议改到四楼会议室了。|生日快乐！|"
    "昨天谢谢你帮忙。|钥匙我放在邻居那里了。|我们的电话能改到周四吗？|快递今天上午到了。|周五我不在公司。|明天一起吃午饭吗？|资料我已经发到你邮箱了。",
    "note": "记得带上签好的表格|周末之前要完成|先和财务核对数字|到二楼电梯旁边|带停车票|早上先和同事确认|提前十分钟到|穿运动服",
    "summary": "我被重复扣款了|我的账号被锁定，常规步骤没有用|我对退款结果有异议",
    "reason": "买错了|不需要了|计划有变|别处更便宜|收到时已经损坏|要出国一段时间|搬家了|等太久了",
    "query": "会议|快递|生日|外卖|预算|体检|报销|合同|聚餐|电影票|停车|发票",
    "topic": "新能源汽车|房价|人工智能|世界杯|气候变化|高铁",
    "question": "可以带多少行李？|几点停止办理登机？|退款要多久？|营业时间是几点？",
    "color": "黑色|白色|红色|蓝色|绿色",
    "size": "小号|中号|大号",
    "category": "电子产品|厨房用品|图书|运动|服装",
    "cuisine": "川菜|粤菜|日本料理|意大利菜",
    "genre": "爵士|摇滚|喜剧|科幻",
    "language": "中文|英语|法语|日语",
    "department": "技术部|市场部|财务部|人事部",
    "group": "设计组|周末徒步群|产品负责人|读书会",
    "text": "新的时间表从周一开始。|请查收附件。|大概有四十位客人。|二楼的打印机坏了。|初稿已经可以看了。",
    "thing": "晨光|蓝鹭|北极星|银杏|灯塔",
}
_KO: dict[str, str] = {
    "first": "민준|서연|지훈|수빈|예은|도윤|하은|지우|현우|유진|태현|다은|성민|지민|은서|준호",
    "last": "김|이|박|최|정|강|조|윤|장|임|한|오|서|신|권|황",
    "city": "서울|부산|대구|인천|광주|대전|제주|수원|강릉|전주",
    "country": "한국|일본|프랑스|독일|미국",
    "region": "경기도|강원도|전라도|경상도",
    "state": "경기도|강원도|전라북도|경상남도",
    "street": "세종대로|테헤란로|강남대로|을지로|종로",
    "hotel": "한강 호텔|제주 오션 리조트|남산 게스트하우스",
    "restaurant": "명동 교자|한옥 밥상|바다 횟집|을지로 골뱅이",
    "company": "새벽 물류|하늘 여행사|푸른 식품",
    "merchant": "교촌치킨|김밥천국|동네 빵집|명동 교자",
    "product": "무선 마우스|운동화|텀블러|기계식 키보드|백팩",
    "food": "비빔밥|김치찌개|후라이드 치킨|잔치국수|떡볶이|불고기|치즈볼|크림빵|소금빵|만두",
    "ingredient": "두부|김치|돼지고기|감자|버섯|연어|가지|애호박",
    "app": "카카오톡|지도|캘린더|사진|카메라",
    "title": "치과 예약|팀 회의|택배 찾기|헬스장|월세 내기|생일 선물 사기",
    "message": "십 분 정도 늦을 것 같아요.|저녁 일곱 시에 봐요.|시간 될 때 전화 주세요.|회의실이 4층으로 바뀌었어요.|생일 축하해요!|어제 도와줘서 고마워요.",
    "note": "서명한 서류를 가져오세요|주말 전에 끝내야 해요|재무팀과 먼저 확인하세요",
    "summary": "이중으로 결제됐어요|계정이 잠겼어요|환불 결과에 이의가 있어요",
    "reason": "잘못 주문했어요|더 이상 필요 없어요|일정이 바뀌었어요|다른 곳이 더 저렴해요",
    "query": "회의록|주차|생일|예산|건강검진|출장비",
    "topic": "전기차|금리|부동산 시장|인공지능|월드컵|기후 변화|반도체 수출|영화제|대중교통|커피 가격|프로야구|우주 탐사",
    "question": "수하물은 얼마나 가져갈 수 있나요?|환불은 얼마나 걸리나요?|영업시간이 어떻게 되나요?",
    "color": "검정색|흰색|빨간색|파란색",
    "size": "소|중|대",
    "category": "전자제품|주방용품|도서|스포츠",
    "cuisine": "한식|일식|중식|이탈리아 요리",
    "genre": "재즈|록|코미디|공상과학",
    "language": "한국어|영어|일본어",
    "department": "개발팀|마케팅팀|재무팀|인사팀",
    "group": "디자인팀|주말 등산 모임|독서 모임",
    "text": "새 일정은 월요일부터 시작합니다.|첨부 파일을 확인해 주세요.|초안이 준비됐습니다.",
    "thing": "새벽|푸른별|등대|은행나무",
}
POOLS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    lang: {kind: _words(text) for kind, text in table.items()} for lang, table in (("en", _EN), ("zh", _ZH), ("ko", _KO))
}
AIRPORTS = _words("JFK|LAX|SFO|CDG|LHR|NRT|ORD|SEA|BOS|DEN|MAD|LIS|AMS|MIA|ATL|FRA")
CURRENCIES = _words("USD|EUR|GBP|JPY|CAD|CHF|AUD")
LOCALES = _words("en|fr|es|de|ja")
MONTHS = _words("January|February|March|April|May|June|July|August|September|October|November|December")
PINYIN = dict(
    zip(
        (*POOLS["zh"]["last"], *POOLS["zh"]["first"], *POOLS["ko"]["last"], *POOLS["ko"]["first"]),
        _words(
            "wang|li|zhang|liu|chen|yang|zhao|huang|zhou|wu|xu|sun|zhu|ma|hu|lin|he|guo|gao|luo|"
            "wei|fang|na|min|jing|lei|yang|yan|yong|jie|ting|tao|ming|li|qiang|xue|chen|hao|jia|yu|"
            "kim|lee|park|choi|jung|kang|cho|yoon|jang|lim|han|oh|seo|shin|kwon|hwang|"
            "minjun|seoyeon|jihoon|subin|yeeun|doyun|haeun|jiwoo|hyunwoo|yujin|taehyun|daeun|sungmin|jimin|eunseo|junho"
        ),
    )
)
"""Latin spellings, for emails and usernames of people whose names are not."""


_OF_WHAT: Mapping[str, str] = {
    "Apollo Project": "project", "Nora Hill": "person", "Northwind Traders": "company", "Customer Portal": "product", "Berlin Office": "office",
    "Marcus Ward": "person", "Data Platform": "product", "Annual Conference": "event",
}  # fmt: skip
_TRUE_OF: Mapping[str, str] = {
    "person": "Prefers morning meetings|Speaks Spanish and English|Is on parental leave until June",
    "project": "Budget was approved|Launch is planned for autumn|Needs a new maintainer",
    "company": "Signed a new contract in May|Has its head office in Lisbon|Pays invoices within ten days",
    "product": "Uses PostgreSQL|Needs a new maintainer|Launch is planned for autumn",
    "office": "Moved to the new building in May|Opens at eight|Has two meeting rooms",
    "event": "Budget was approved|Takes place in October|Needs a bigger room",
}
_MENUS = {
    "达美乐": "玛格丽特披萨|炸鸡翅", "麦当劳": "鸡腿堡套餐|炸鸡翅", "海底捞": "麻辣香锅|酸菜鱼", "喜茶": "珍珠奶茶|芝士葡萄茶", "肯德基": "鸡腿堡套餐|炸鸡翅",
    "小杨生煎": "生煎包|牛肉粉丝汤", "米村拌饭": "石锅拌饭|辣牛肉汤", "沙县小吃": "拌面|蒸饺", "Luigi's Pizzeria": "margherita pizza|mushroom risotto",
    "Sunny Bakery": "cheesecake|apple pie", "Tokyo Sushi Bar": "sushi platter|miso soup", "Burger Junction": "veggie burger|chicken burger",
    "Noodle House": "pad thai|tomato soup", "Green Bowl": "caesar salad|tomato soup", "Cafe Aurora": "cheesecake|tomato soup", "교촌치킨": "후라이드 치킨|치즈볼",
    "김밥천국": "떡볶이|김치찌개", "동네 빵집": "크림빵|소금빵", "명동 교자": "잔치국수|만두",
}  # fmt: skip
_NOTES = {
    "看牙医": "提前十分钟到|带上医保卡", "部门会议": "带上笔记本|提前十分钟到", "取快递": "取件码在短信里|到小区门口取", "项目评审": "先和财务核对数字|提前十分钟到",
    "交房租": "转给房东|月底之前要交", "健身课": "穿运动服|提前十分钟到", "给妈妈打电话": "问问体检结果|聊聊周末回家的事", "买生日礼物": "周末之前要买好|问问她喜欢什么",
    "家长会": "提前十分钟到|带上成绩单", "续车险": "比较一下价格|带上行驶证", "接孩子": "在学校东门等|带上雨伞", "浇花": "阳台的也要浇|少浇一点水", "周会": "准备本周进展|带上笔记本",
    "预约体检": "早上不要吃饭|带上身份证", "Dentist appointment": "Bring the insurance card.", "Team lunch": "Vegetarian option, please.",
    "Project kickoff": "Bring the signed forms.", "Quarterly review": "Check the numbers with finance first.", "Budget meeting": "Check the numbers with finance first.",
    "Design review": "Second floor, next to the elevator.", "Weekly sync": "Follow up on last week's discussion.", "Doctor's appointment": "Bring the insurance card.",
    "치과 예약": "신분증을 가져오세요", "팀 회의": "자료를 준비하세요",
}  # fmt: skip
_BODIES = {
    "Team lunch": "We meet at noon in front of the office.|I booked a table for eight.", "Project kickoff": "The meeting has moved to room 4.|Could you send me the slides before noon?",
    "Quarterly review": "Could you send me the slides before noon?|The meeting has moved to room 4.", "Budget meeting": "Can we move our call to Thursday?|The meeting has moved to room 4.",
    "Weekly sync": "Can we move our call to Thursday?|I'm running about ten minutes late, sorry!", "Design review": "Could you send me the slides before noon?",
    "Dinner with Sam": "Dinner is at seven, see you there.", "Book club": "We meet at my place on Friday.", "Flight check-in": "Check-in opens tomorrow at eight.",
    "Buy a birthday present": "Do you want to share a present for Anna?", "Pay the rent": "The rent for this month is on its way.", "Gym session": "Can we move our session to Thursday?",
    "Yoga class": "The class starts at six this week.", "Dentist appointment": "I'll be out of the office on Friday.", "Doctor's appointment": "I'll be out of the office on Friday.",
    "Parent-teacher meeting": "I'll be out of the office on Friday afternoon.", "Renew the car insurance": "Could you send me the policy number?", "Call the landlord": "Please call the landlord back today.",
    "Pick up the dry cleaning": "Could you pick up the dry cleaning tonight?", "Water the plants": "Could you water the plants while I'm away?",
}  # fmt: skip
FITTING: Mapping[str, tuple[str, Mapping[str, tuple[str, ...]]]] = {
    "entity_type": ("entity", {entity: (of,) for entity, of in _OF_WHAT.items()}),
    "observation": ("entity", {entity: _words(_TRUE_OF[of]) for entity, of in _OF_WHAT.items()}),
    "food": ("merchant", {merchant: _words(menu) for merchant, menu in _MENUS.items()}),
    "note": ("title", {title: _words(notes) for title, notes in _NOTES.items()}),
    "message": ("title", {title: _words(bodies) for title, bodies in _BODIES.items()}),
}
"""Kinds whose words go with what was drawn before: by which kind, and the words for each of its values."""
_RELATED: Mapping[tuple[str, str], str] = {
    ("person", "person"): "manages|reports to", ("person", "project"): "works on|manages", ("person", "product"): "works on|manages", ("person", "company"): "belongs to",
    ("person", "office"): "belongs to|manages", ("person", "event"): "works on|manages", ("project", "company"): "belongs to", ("product", "company"): "belongs to",
    ("office", "company"): "belongs to", ("event", "office"): "is located in", ("event", "company"): "belongs to", ("project", "office"): "belongs to",
}  # fmt: skip


def relations_of(source: str, target: str) -> tuple[str, ...]:
    """How two known entities can be related."""
    return _words(_RELATED.get((_OF_WHAT.get(source, ""), _OF_WHAT.get(target, "")), "depends on"))


FITTED_BY = frozenset(by for by, _ in FITTING.values())


def pool(kind: str, lang: str) -> tuple[str, ...]:
    """The words of a kind in a language; English where the language has none."""
    return POOLS.get(lang, {}).get(kind) or POOLS["en"][kind]
