"""How listed choices are said in another language: `Seoul, South Korea` is 서울, the code ES is 스페인어.

A schema often lists its choices in English or as codes; nobody speaks them so. Only whole values are translated.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

_PLACES: Mapping[str, tuple[str, str]] = {
    "new york": ("뉴욕", "纽约"), "london": ("런던", "伦敦"), "seoul": ("서울", "首尔"), "sydney": ("시드니", "悉尼"), "tokyo": ("도쿄", "东京"),
    "paris": ("파리", "巴黎"), "berlin": ("베를린", "柏林"), "beijing": ("베이징", "北京"), "shanghai": ("상하이", "上海"), "busan": ("부산", "釜山"),
    "singapore": ("싱가포르", "新加坡"), "bangkok": ("방콕", "曼谷"), "rome": ("로마", "罗马"), "madrid": ("마드리드", "马德里"), "hong kong": ("홍콩", "香港"),
    "san francisco": ("샌프란시스코", "旧金山"), "los angeles": ("로스앤젤레스", "洛杉矶"), "chicago": ("시카고", "芝加哥"), "boston": ("보스턴", "波士顿"),
    "toronto": ("토론토", "多伦多"), "osaka": ("오사카", "大阪"), "taipei": ("타이베이", "台北"), "hanoi": ("하노이", "河内"), "moscow": ("모스크바", "莫斯科"),
}  # fmt: skip
_WORDS: Mapping[str, tuple[str, str]] = {
    "en": ("영어", "英语"), "es": ("스페인어", "西班牙语"), "fr": ("프랑스어", "法语"), "de": ("독일어", "德语"), "it": ("이탈리아어", "意大利语"),
    "ja": ("일본어", "日语"), "zh": ("중국어", "中文"), "ko": ("한국어", "韩语"), "english": ("영어", "英语"), "spanish": ("스페인어", "西班牙语"),
    "french": ("프랑스", "法国"), "german": ("독일", "德国"), "italian": ("이탈리아", "意大利"), "chinese": ("중국", "中国"), "indian": ("인도", "印度"),
    "mexican": ("멕시코", "墨西哥"), "japanese": ("일본", "日本"), "korean": ("한국", "韩国"), "thai": ("태국", "泰国"), "general": ("일반", "综合"),
    "politics": ("정치", "政治"), "economy": ("경제", "经济"), "business": ("경제", "商业"), "sports": ("스포츠", "体育"), "technology": ("기술", "科技"),
    "science": ("과학", "科学"), "health": ("건강", "健康"), "entertainment": ("연예", "娱乐"), "culture": ("문화", "文化"), "travel": ("여행", "旅游"),
    "metric": ("섭씨", "摄氏度"), "imperial": ("화씨", "华氏度"), "celsius": ("섭씨", "摄氏度"), "fahrenheit": ("화씨", "华氏度"),
    "date": ("날짜순", "按时间"), "relevance": ("관련순", "按相关度"), "high": ("높음", "高"), "low": ("낮음", "低"), "medium": ("보통", "中"),
    "small": ("소", "小"), "large": ("대", "大"), "male": ("남성", "男"), "female": ("여성", "女"), "morning": ("아침", "早上"), "evening": ("저녁", "晚上"),
}  # fmt: skip
_KO_DOES: Mapping[str, str] = {
    "실행": "켜", "켜기": "켜", "중지": "멈춰", "끄기": "꺼", "정지": "멈춰", "냉방 실행": "냉방으로 켜", "난방 실행": "난방으로 켜", "제습 실행": "제습으로 켜",
    "시작": "시작해", "조회": "확인해", "상태 조회": "상태를 확인해", "예약": "예약해",
}  # fmt: skip
_COLUMN = {"ko": 0, "zh": 1}


@lru_cache(maxsize=4096)
def said_as(value: str, lang: str) -> str:
    """The value as people of this language say it; the value itself where that is not known or it is theirs already."""
    column = _COLUMN.get(lang)
    if column is None:
        return value
    if lang == "ko" and not value.isascii() and "," in value:
        *things, action = [part.strip() for part in value.split(",")]
        does = _KO_DOES.get(action)
        return " ".join([*(part for part in things if part), does]) if does is not None else value
    plain = value.casefold()
    place = _PLACES.get(re.split(r", ?", plain)[0])
    if place is not None:
        return place[column]
    word = _WORDS.get(plain)
    return word[column] if word is not None else value
