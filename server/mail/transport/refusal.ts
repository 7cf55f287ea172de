/**
 * What a server's lasting refusal (5xx) is about: the address, which is then dead; who sends or what is configured, which
 * passes when it is set right; or this one mail.
 */
export type Subject = "address" | "sender" | "mail";

/** Marks a refusal of the recipient, or one that came at any other moment. */
export type Moment = "recipient" | "other";

// An address that is marked as dead is lost until somebody looks, while one that is tried again costs a few tries. So a
// refusal must say that it is about the recipient, by its code or its words, and one that speaks of the sender never is.

/** Words for who sends: their address, their sign-in, their machine and its name, what they may send, how much of it. */
const SENDER_WORDS = new RegExp(
  [
    String.raw`\bsenders?\b|\bsend[- ]?as|\bfrom:? (?:address|header)|\b(?:mail|messages?|reverse|return)[- ](?:from|path)\b`,
    String.raw`authenticat|\bauth\b|\blog ?in\b|\bsign in\b|credential|starttls|\bunverified\b|\bnot verified\b`,
    String.raw`\bclient (?:host|ip|address|not)|\bhelo\b|\behlo\b|\breverse dns\b|\brdns\b|\bptr\b|\bdns[bw]l\b|\brbl\b`,
    String.raw`\brelay|\brcpthosts\b|\bspf\b|\bdkim\b|\bdmarc\b|\breputation\b|\bspamhaus\b`,
    String.raw`\bblock(?:ed|ing|list(?:ed)?)?\b|\bblack ?list|\bdeny ?list|\bbanned\b|\baccess denied\b|\bpolicy\b|\bprohibit`,
    String.raw`\bnot (?:authori[sz]ed|permitted|allowed to (?:send|relay))|\bunauthori[sz]ed|\bpermissions?\b`,
    String.raw`\btoo many\b|\b(?:hourly|daily)\b|\brate limit|\bsending (?:rate|limit|quota|suspended|paused|disabled)`,
    String.raw`\byour (?:ip|host|server|network|domain|provider|isp|account|plan)\b`,
  ].join("|"),
  "i",
);
/** Words for a mail that a filter dislikes. At the recipient, before it was seen, they are about who sends. */
const SPAM_WORDS = /\bspam|\bjunk\b|\bunsolicited\b|\bbulk mail\b/i;
const WHO = String.raw`(?:user|recipient|mailbox|account|addressee?|destination|inbox)`;
const GONE = [
  String.raw`unknown|unavailable|disabled|deactivated|inactive|invalid|suspended|closed|discontinued|deleted|removed|full`,
  String.raw`not (?:found|known|exist|available|active|valid|here|local)|(?:is|are)n['’]t|over ?quota|does ?n[o'’]t|does not`,
].join("|");
/** Words for a recipient that takes nothing. */
const ADDRESS_WORDS = new RegExp(
  [
    String.raw`\b${WHO}\b[^.;]{0,60}?\b(?:${GONE})\b`,
    String.raw`\b(?:unknown|invalid|bad|no such|no|inactive|disabled|un?routeable|undeliverable|unroutable)(?: \w+)? ${WHO}\b`,
    String.raw`\bno one here\b|\bnobody here\b|\bover quota\b|\bquota exceeded\b|\brecipient ?not ?found\b`,
  ].join("|"),
  "i",
);
/** What Exchange Online says where a tenant has no such recipient: its words alone would speak of a policy. */
const EXCHANGE_UNKNOWN = /\brecipient address rejected: access denied\b/i;

/**
 * Tells what a refusal is about, by its enhanced status code (RFC 3463) and its words.
 * @param answer what the server said, with its code: one line or several
 */
export function subjectOfRefusal(answer: string, moment: Moment): Subject {
  const code = Number(answer.slice(0, 3));
  const status = enhancedStatus(answer);
  const words = plainWords(answer);
  if (status === "4.1" && EXCHANGE_UNKNOWN.test(words)) return "address";
  // Too big, for the mailbox (2.3) or the server (3.4), and what is wrong with its content.
  if (status === "2.3" || status === "3.4" || status?.startsWith("6.") === true) return "mail";
  // Answers that a server gives to words it does not know, or in another place: nothing about anybody.
  const isOfAddress = status !== undefined && ADDRESS_STATUS.has(status);
  if (code >= 500 && code <= 504 && !isOfAddress) return "sender";
  if (status?.startsWith("7.") === true || SENDER_WORDS.test(words)) return "sender";
  if (SPAM_WORDS.test(words)) return moment === "recipient" ? "sender" : "mail";
  if (isOfAddress) return "address";
  if (status !== undefined && SENDER_STATUS.has(status)) return "sender";
  if (ADDRESS_WORDS.test(words)) return "address";
  if (status !== undefined) return /^[12]\./.test(status) ? "sender" : "mail";
  if (moment === "other") return "mail";
  return MAILBOX_CODES.has(code) ? "address" : "sender";
}

/** The addressee (1.1 to 1.4), one that has moved (1.6) or whose domain takes no mail (1.10); a mailbox that is closed, full or a list. */
const ADDRESS_STATUS = new Set(["1.1", "1.2", "1.3", "1.4", "1.6", "1.10", "2.1", "2.2", "2.4"]);
/** The sender's address: 1.7 and 1.8, and 1.9 for its domain, that takes no mail. */
const SENDER_STATUS = new Set(["1.7", "1.8", "1.9"]);
/** Codes that are about the mailbox by themselves (RFC 5321, 4.2.3 and 556 of RFC 7504); 554 may be anything. */
const MAILBOX_CODES = new Set([550, 551, 552, 553, 556]);

/** The last two numbers of 5.x.y, which stands first or, as qmail has it, last in brackets. */
function enhancedStatus(answer: string): string | undefined {
  const [, first, last] = /^\d{3}[ -]5\.(\d{1,3}\.\d{1,3})\b|\(#5\.(\d{1,3}\.\d{1,3})\)/.exec(answer) ?? [];
  return first ?? last;
}

/** The words of an answer, without the addresses in it: somebody may be called blocked@spam.example. */
function plainWords(answer: string): string {
  return answer
    .replace(/^\d{3}[ -]?(?:5\.\d{1,3}\.\d{1,3}\b)?/gm, " ")
    .replace(/https?:\/\/\S+|<[^<>\s]*>|\S+@\S+/g, " ")
    .replace(/\s+/g, " ");
}
