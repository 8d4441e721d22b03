"""Phrases that give a tone away, in nine languages. A list finds what it lists and nothing else: absence proves little.

Languages: English, German, French, Spanish, Portuguese, Russian, Chinese, Japanese, Korean.
"""

from __future__ import annotations

LANGUAGES = ("en", "de", "fr", "es", "pt", "ru", "zh", "ja", "ko")

REFUSAL = (
    "can't help with", "cannot help with", "can't assist with", "cannot assist with", "unable to help with", "unable to assist with", "not able to help with",
    "can't comply", "cannot comply", "must decline", "have to decline", "i won't be able to help", "not able to assist", "i refuse to",
    "kann ich nicht helfen", "kann dabei nicht helfen", "muss ich ablehnen", "ne peux pas vous aider", "ne peux pas t'aider", "dois refuser",
    "no puedo ayudarte con", "no puedo ayudarle con", "debo negarme", "não posso ajudar com", "não posso ajudá", "preciso recusar",
    "не могу помочь с", "не могу вам помочь", "вынужден отказать", "无法帮助您", "无法协助", "不能帮您", "我必须拒绝",
    "お手伝いできません", "お断りします", "対応できません", "도와드릴 수 없", "도울 수 없", "거절해야",
)  # fmt: skip
FAILURE = (
    "error", "fail", "unable", "couldn't", "could not", "can't", "cannot", "not available", "unavailable", "timed out", "timeout", "problem", "issue", "went wrong", "try again",
    "denied", "rejected", "not found", "didn't work", "did not work", "fehler", "fehlgeschlagen", "konnte nicht", "nicht verfügbar", "erreur", "échou", "impossible", "indisponible", "n'ai pas pu",
    "fallo", "no pude", "no se pudo", "no está disponible", "falha", "não foi possível", "não consegui", "indisponível", "ошибк", "не удалось", "недоступ", "не смог",
    "失败", "错误", "无法", "不可用", "超时", "失敗", "エラー", "できません", "利用できない", "실패", "오류", "할 수 없", "못했",
)  # fmt: skip
BOILERPLATE = (
    "as an ai", "as a language model", "as an assistant", "i hope this helps", "feel free to", "don't hesitate to", "als ki", "ich hoffe, das hilft", "zögern sie nicht",
    "en tant qu'ia", "j'espère que cela", "n'hésitez pas", "como ia", "como una ia", "espero que esto ayude", "no dudes en", "como uma ia", "espero que isso ajude", "não hesite",
    "как искусственный интеллект", "надеюсь, это поможет", "не стесняйтесь", "作为一个人工智能", "作为ai", "希望这对您有帮助", "aiとして", "お役に立てれば", "ai로서", "도움이 되셨기를",
)  # fmt: skip
HEDGING = (
    "i think maybe", "it seems that perhaps", "might possibly", "i'm not entirely sure", "i am not entirely sure", "it could be that", "perhaps maybe", "to the best of my knowledge",
    "ich bin mir nicht ganz sicher", "möglicherweise vielleicht", "je ne suis pas tout à fait sûr", "il se pourrait que", "no estoy del todo seguro", "podría ser que",
    "não tenho certeza absoluta", "pode ser que", "я не совсем уверен", "возможно, что", "我不太确定", "可能也许", "確かではありませんが", "かもしれませんが", "확실하지는 않지만",
)  # fmt: skip
APOLOGY = (
    "sorry", "apolog", "entschuldig", "tut mir leid", "désolé", "excusez", "lo siento", "disculp", "desculp", "sinto muito", "извин", "сожале", "抱歉", "对不起",
    "申し訳", "すみません", "죄송", "미안",
)  # fmt: skip
SYCOPHANCY = (
    "great question", "excellent question", "what a great", "you're absolutely right", "you are absolutely right", "brilliant idea", "tolle frage", "ausgezeichnete frage", "sie haben völlig recht",
    "excellente question", "vous avez tout à fait raison", "excelente pregunta", "tienes toda la razón", "ótima pergunta", "você tem toda a razão", "отличный вопрос", "вы совершенно правы",
    "好问题", "您说得太对了", "素晴らしい質問", "おっしゃる通り", "좋은 질문", "전적으로 옳",
)  # fmt: skip

_APOSTROPHES = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "´": "'", "`": "'", "＇": "'"})


def spoken(text: str) -> str:
    """Text for looking phrases up: folded case, one kind of apostrophe."""
    return text.translate(_APOSTROPHES).casefold()


def first_phrase(text: str, phrases: tuple[str, ...]) -> str | None:
    """The first of the phrases that stands in an already `spoken` text, or None."""
    return next((phrase for phrase in phrases if phrase in text), None)
