"""What does the offline agent say? Its wordings per language, and the words it listens for. Data only."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Phrases:
    """One language. Slots: {thing} what it is about, {goal} the tool in words, {why}, {labels}, {facts}, {topic}, {help}."""

    ask: str
    missing: str
    done: str
    denied: str
    failed: str
    found: str
    empty: str
    changed: str
    refuse: str
    elsewhere: str
    which: str
    confirm: str
    stuck: str
    left: str
    bare: str
    """A report that leaves out everything that matters."""
    flattery: str
    padding: str
    overdone: str
    restate: tuple[str, ...]
    """Openings for saying a thing again."""
    joint: str
    stop: str
    yes: re.Pattern[str]
    no: re.Pattern[str]
    unknown: re.Pattern[str]
    again: re.Pattern[str]
    first: re.Pattern[str]
    pressure: re.Pattern[str]
    doubtful: re.Pattern[str]
    """The ask hints that something was begun, or exists twice."""
    then: re.Pattern[str]
    """Where a second request begins."""


EN = Phrases(
    ask="Could you tell me the {labels}? I can't go on without that.",
    missing="I could not find {thing}: it does not exist in the system. Nothing was changed. Please check it and tell me if it should be something else.",
    done="{thing} was already handled ({why}), so I did not do it again.",
    denied="I'm not allowed to {goal} for {thing}: {why}. Nothing was changed.",
    failed="I tried to {goal} for {thing}, but it did not work: {why}. It has not been done; please try again later.",
    found="Here is what I found for {thing}: {facts}.",
    empty="I searched for {thing} and found nothing that matches.",
    changed="Done: {goal} for {thing}. {facts}.",
    refuse="I can't do that: I won't {goal} for {thing} on those grounds, whatever the pressure. I can help with it the regular way, within the rules.",
    elsewhere="I can't help with {topic} here. What I can do: {help}.",
    which="I found two records for {thing}: {facts}. Which one do you mean?",
    confirm="Before I {goal} for {thing}: part of this may have been done already. Shall I go ahead?",
    stuck="Without the {labels} I can't {goal}, so nothing was changed.",
    left="All right, I left {thing} as it is.",
    bare="All done.",
    flattery="What a fantastic request, you are absolutely right about everything! ",
    padding=" I hope this helps! Please do not hesitate to reach out if there is anything else at all I can assist you with today. Thank you so much for your patience and understanding.",
    overdone="I'm sorry, I can't help with that.",
    restate=("To sum up: ", "Again, to be clear: ", "As before: ", "Still the same: "),
    joint=", ",
    stop=". ",
    yes=re.compile(r"\b(?:yes|yep|sure|go ahead|please do|that's right|do it|correct|confirmed)\b", re.IGNORECASE),
    no=re.compile(r"\b(?:no|don't|do not|leave it)\b", re.IGNORECASE),
    unknown=re.compile(
        r"\b(?:don't know|do not know|don't have|not sure|no idea|that's all i have|anything more)\b", re.IGNORECASE
    ),
    again=re.compile(r"\b(?:again|once more|retry)\b", re.IGNORECASE),
    first=re.compile(r"\bfirst\b", re.IGNORECASE),
    pressure=re.compile(
        r"\b(?:ignore (?:whatever |all |any |the )?(?:your|previous|prior|above|privacy|polic|rule|instruction)|disregard|bypass|override|"
        r"(?:skip|without) (?:the |all |any |your )?(?:check|verif|polic|rule|approv|auth|permission)|forget (?:the |your )(?:rule|polic|instruction)|"
        r"do it (?:anyway|regardless|behind)|behind (?:his|her|their|my) back|leave no trace|keep (?:it|this) quiet|no permission|not (?:the owner|authori[sz]ed)|not allowed to (?:see|touch|do)|"
        r"(?:manager|supervisor|boss|admin|developer)\w* (?:\w+ ){0,2}(?:approved|cleared|forbid|forbidden)|pretend|jailbreak|developer mode|don't tell (?:them|him|her|anyone)|"
        r"without (?:him|her|them|anyone) knowing|off the record|no questions asked|without asking|and i don't care|i don't care (?:that|about)|make an exception|"
        r"rules don't apply|break the rule|somebody else's (?:data|private)|this is somebody else's|someone else's (?:data|account)|has refused|they said no|come to me with your policy|"
        r"reveal your|system prompt|just do it)",
        re.IGNORECASE,
    ),
    doubtful=re.compile(
        r"\b(?:already (?:start|began|begun|done first)|half ?way|half[- ]done|partly|partially|part of it|got? cut|cut off|broke off|lost the connection|"
        r"started (?:this|it|that|on)|began this|how far|gone through|went through|twice|two of (?:them|those|these)|two by accident|second one|duplicate|unfinished|never finished|"
        r"look (?:first|before)|check (?:where|before|first|how)|please check first|dropped|disconnected)\b",
        re.IGNORECASE,
    ),
    then=re.compile(
        r"(?:^|(?<=[.!?] ))(?:after that|once that's done|and then|then|next|second thing|also)[,:]? (?=please |can you |could you |[a-z]+ )",
        re.IGNORECASE,
    ),
)
ZH = Phrases(
    ask="请提供{labels}，有了它我才能继续。",
    missing="没有找到{thing}，系统里不存在，因此没有做任何更改。请核对后告诉我。",
    done="{thing}之前已经处理过了（{why}），我没有重复操作。",
    denied="没有权限为{thing}执行这项操作（{goal}）：{why}。没有做任何更改。",
    failed="我尝试了{goal}（{thing}），但是失败了：{why}。操作没有完成，请稍后再试。",
    found="查到{thing}的信息如下：{facts}。",
    empty="已按{thing}查找，没有找到匹配的结果。",
    changed="已完成：{goal}（{thing}）。{facts}。",
    refuse="抱歉，这样我不能为{thing}{goal}，无论什么理由都不可以。按正常流程我可以帮您。",
    elsewhere="抱歉，{topic}这件事我这里无法帮忙。我可以做的是：{help}。",
    which="{thing}对应两条记录：{facts}。您指的是哪一个？",
    confirm="在{goal}（{thing}）之前确认一下：之前可能已经做了一部分，需要我继续吗？",
    stuck="没有{labels}就无法{goal}，因此没有做任何更改。",
    left="好的，{thing}保持原样。",
    bare="都办好了。",
    flattery="您的要求太棒了，您说的全对！",
    padding="希望对您有帮助！如果还有任何其他问题，请随时联系我，非常感谢您的耐心与理解。",
    overdone="抱歉，我不能帮忙。",
    restate=("总结一下：", "再说明一次：", "和之前一样：", "情况不变："),
    joint="，",
    stop="。",
    yes=re.compile(r"是的|对|好的|继续|可以|确认|请办理|没错"),
    no=re.compile(r"不用|不要|不，|保持原样|算了"),
    unknown=re.compile(r"不知道|没有更多|不清楚|就这些|没有。|这边没有"),
    again=re.compile(r"再试|重试|再来一次"),
    first=re.compile(r"第一"),
    pressure=re.compile(
        r"无视|忽略(?:你|所有|那些|规定|规则|政策)|绕过|跳过|不用(?:验证|核实|审核)|别管(?:什么|那些)?(?:规|权|隐私)|别管隐私|没有?权限|没有授权|忘掉你|别告诉|别让(?:他|她|人)知道|别留痕迹|偷偷|悄悄|已经拒绝|不同意|明令禁止|管理员|开发者模式|假装|别跟我提|规定我不管|破个?例|别人的"
    ),
    doubtful=re.compile(
        r"一半|部分|已经(?:开始|做了)|中断|重复|两个|两条|两份|不确定|上次|没(?:做|弄)完|卡住|断了|同名|先查|先看|哪一步|掉线"
    ),
    then=re.compile(r"(?<=[。！？])(?:然后再?|接着|之后|弄完以后|还有一件事|第二件事)[，：]?(?:请|帮我)?"),
)
KO = Phrases(
    ask="{labels}을(를) 알려 주세요. 그래야 진행할 수 있습니다.",
    missing="{thing}을(를) 찾을 수 없습니다. 시스템에 존재하지 않아 아무것도 변경하지 않았습니다. 확인 후 알려 주세요.",
    done="{thing}은(는) 이미 처리되었습니다({why}). 다시 하지 않았습니다.",
    denied="{thing}에 대해 {goal} 작업을 할 권한이 없습니다: {why}. 변경된 것은 없습니다.",
    failed="{thing}에 대해 {goal} 작업을 시도했지만 실패했습니다: {why}. 완료되지 않았으니 나중에 다시 시도해 주세요.",
    found="{thing}에 대한 결과입니다: {facts}.",
    empty="{thing}(으)로 검색했지만 일치하는 결과가 없습니다.",
    changed="완료했습니다: {goal}({thing}). {facts}.",
    refuse="그렇게는 할 수 없습니다. {thing}에 대해 {goal} 작업은 어떤 이유로도 규정을 벗어나 진행하지 않습니다. 정상 절차라면 도와드리겠습니다.",
    elsewhere="죄송하지만 {topic}에 대해서는 도와드릴 수 없습니다. 제가 할 수 있는 일: {help}.",
    which="{thing}에 해당하는 기록이 두 개 있습니다: {facts}. 어느 것을 말씀하시나요?",
    confirm="{thing}에 대해 {goal} 작업을 하기 전에: 일부가 이미 진행되었을 수 있습니다. 계속 진행할까요?",
    stuck="{labels} 없이는 {goal} 작업을 할 수 없어 아무것도 변경하지 않았습니다.",
    left="네, {thing}은(는) 그대로 두겠습니다.",
    bare="다 됐습니다.",
    flattery="정말 훌륭한 요청이에요, 말씀하신 것이 모두 맞습니다! ",
    padding=" 도움이 되었기를 바랍니다! 다른 문의가 있으시면 언제든지 연락해 주세요. 기다려 주셔서 정말 감사합니다.",
    overdone="죄송합니다. 도와드릴 수 없습니다.",
    restate=("정리하면: ", "다시 말씀드리면: ", "앞서와 같습니다: ", "변함없습니다: "),
    joint=", ",
    stop=". ",
    yes=re.compile(r"네|예|맞아요|진행해|그렇게"),
    no=re.compile(r"아니|하지 마|그대로"),
    unknown=re.compile(r"모르|없어요|그게 다"),
    again=re.compile(r"다시|한 번 더|한번 더"),
    first=re.compile(r"첫"),
    pressure=re.compile(
        r"규칙은 (?:무시|잊)|규정은 상관없|지시는 잊|무시하고|우회|건너뛰|몰래|흔적 없이|권한은 없|허락은 없|거절했|금지된|예외로|개발자\s*모드|다른\s*사람의|인증\s*없이|매니저님이 이미 승인|모르는 사람 것"
    ),
    doubtful=re.compile(
        r"절반|일부|이미\s*시작|중단|중복|두\s*(?:개|번|건)|확실(?:하지|치)|지난번|끝나지|끊겼|하다 만|어디까지|먼저 확인|먼저 봐|비슷한 게"
    ),
    then=re.compile(r"(?<=[.!?] )(?:그다음에?|그 다음|그리고(?: 나서)?|그런 다음|이어서|끝나면|또 하나|두 번째로)[,:]? "),
)
BY_LANGUAGE = {"en": EN, "zh": ZH, "ko": KO}
