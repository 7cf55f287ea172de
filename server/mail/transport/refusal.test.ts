import assert from "node:assert/strict";
import { test } from "node:test";
import { subjectOfRefusal } from "./refusal.ts";

/** What servers say of an address that takes no mail, at the recipient. Their addresses are ours. */
const ofAddress = [
  // Postfix
  "550 5.1.1 <ada@example.com>: Recipient address rejected: User unknown in local recipient table",
  "550 5.1.1 <ada@example.com>: Recipient address rejected: User unknown in virtual mailbox table",
  "550 5.1.2 <ada@example.com>: Recipient address rejected: Domain not found",
  "552 5.2.2 <ada@example.com>: Mailbox is over quota",
  // Exim
  "550 Unrouteable address",
  "550 Unknown user",
  "550-Verification failed for the recipient\n550-The mail server could not deliver mail to ada@example.com.\n550 No such user here",
  // Exchange and Microsoft 365
  "550 5.1.1 User unknown",
  "550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient ada@example.com not found by SMTP address lookup",
  "550 5.4.1 Recipient address rejected: Access denied. AS(201806281) [DB5EUR03FT013.eop-EUR03.prod.protection.outlook.com]",
  "550 5.5.0 Requested action not taken: mailbox unavailable (S2017062302).",
  // Gmail
  "550-5.1.1 The email account that you tried to reach does not exist. Please try\n550-5.1.1 double-checking the recipient's email address for typos or\n550-5.1.1 unnecessary spaces. For more information, go to\n550 5.1.1  https://support.google.com/mail/?p=NoSuchUser a1-20020 - gsmtp",
  "550 5.2.1 The email account that you tried to reach is disabled. Learn more at https://support.google.com/mail/?p=DisabledUser 4-2002 - gsmtp",
  "552 5.2.2 The recipient's inbox is out of storage space and inactive. Please direct the recipient to https://support.google.com/mail/?p=OverQuotaPerm - gsmtp",
  // Yahoo, qmail, GMX, Dovecot, and others
  "554 delivery error: dd This user doesn't have a yahoo.com account (ada@yahoo.com) [0] - mta1.mail.ne1.yahoo.com",
  "511 sorry, no mailbox here by that name (#5.1.1 - chkuser)",
  "553 sorry, no mailbox here by that name (#5.1.1)",
  "550 Requested action not taken: mailbox unavailable",
  "551 User not local",
  "552 Mailbox full",
  "553 Requested action not taken: mailbox name not allowed",
  "556 5.1.10 <ada@example.com>: Recipient address rejected: Domain has a null MX",
  "550 5.1.0 <ada@example.com> User unknown",
  "550 No such user",
  "550 5.2.1 mailbox disabled",
  "554 5.1.1 Mailbox does not exist",
  "501 5.1.3 Bad recipient address syntax",
  "550 Empfänger unbekannt",
  // An address in the answer is no word of it.
  "550 5.1.1 <blocked.sender@spam.example>: Recipient address rejected: User unknown",
];

/** What they say of who sends, or of how they were asked, at the recipient and at the end of the mail alike. */
const ofSender = [
  // Exchange and Microsoft 365
  "550 5.2.252 SendAsDenied; svc@example.com not allowed to send as notify@example.com",
  "554 5.2.252 SendAsDenied; svc@example.com not allowed to send as notify@example.com",
  "554 5.2.0 STOREDRV.Submission.Exception:SendAsDeniedException.MapiExceptionSendAsDenied; Failed to process message",
  "550 5.7.60 SMTP; Client does not have permissions to send as this sender",
  "550 5.7.708 Service unavailable. Access denied, traffic not accepted from this IP.",
  "550 5.7.1 Unfortunately, messages from [192.0.2.1] weren't sent. Please contact your Internet service provider since part of their network is on our block list (S3140).",
  "554 5.2.0 STOREDRV.Submission.Exception:SubmissionQuotaExceededException; Failed to process message",
  // Postfix
  "553 5.7.1 <notify@example.com>: Sender address rejected: not owned by user svc",
  "553 Sender address rejected: not owned by user svc",
  "550 5.1.8 <notify@example.com>: Sender address rejected: Domain not found",
  "554 5.7.1 <ada@example.com>: Relay access denied",
  "554 5.7.1 Service unavailable; Client host [192.0.2.1] blocked using zen.spamhaus.org; https://www.spamhaus.org/query/ip/192.0.2.1",
  "554 Service unavailable; Client host [192.0.2.1] blocked using zen.spamhaus.org",
  "550 5.7.1 Client host rejected: cannot find your reverse hostname",
  "504 5.5.2 <localhost>: Helo command rejected: need fully-qualified hostname",
  "550 5.1.1 <ada@example.com>: Recipient address rejected: undeliverable address: host mx.example.com said: 550 <notify@example.com>: Sender address rejected",
  // Exim and qmail
  "550-Verification failed for <notify@example.com>\n550-No Such User Here\n550 Sender verify failed",
  "550 relay not permitted, authentication required",
  "550 Administrative prohibition",
  "550 Access denied - Invalid HELO name (See RFC2821 4.1.1.1)",
  "553 sorry, that domain isn't in my list of allowed rcpthosts (#5.7.1)",
  // Gmail
  "550-5.7.26 This mail has been blocked because the sender is unauthenticated.\n550-5.7.26 Gmail requires all senders to authenticate with either SPF or DKIM.\n550 5.7.26  https://support.google.com/mail/answer/81126 - gsmtp",
  "550 5.4.5 Daily user sending limit exceeded. https://support.google.com/a/answer/166852 - gsmtp",
  "550-5.7.1 [192.0.2.1] Our system has detected that this message is likely\n550 5.7.1 unsolicited mail.",
  // SES, SendGrid, Postmark, Mailgun, Brevo
  "554 Message rejected: Email address is not verified. The following identities failed the check in region EU-WEST-1: notify@example.com",
  "554 Access denied: User `arn:aws:iam::1:user/mail' is not authorized to perform `ses:SendRawEmail'",
  "550 The from address does not match a verified Sender Identity. Mail cannot be sent until this error is resolved.",
  "550 5.7.1 Sending address not accepted due to spam filter",
  "550 Domain example.com is not allowed to send: The domain is unverified and requires DNS configuration",
  "525 5.7.1 Unauthorized IP address",
  // Others
  "553 5.1.0 Sender denied",
  "550 5.1.0 Address rejected",
  "550 You must authenticate first",
  "550-Requested action not taken: mailbox unavailable\n550-Reject due to SPF policy.\n550 For explanation visit https://postmaster.gmx.net/",
  "550 Too many invalid recipients",
  "500 5.5.1 Command unrecognized",
];

/** What depends on when it is said, and what is about one mail. */
const others = [
  ["554 Transaction failed", "sender", "mail"],
  ["554 Spam", "sender", "mail"],
  ["550 High probability of spam", "sender", "mail"],
  ["550 Rejected", "address", "mail"],
  ["552 5.3.4 Message size exceeds fixed limit", "mail", "mail"],
  ["552 5.2.3 Too long for this mailbox", "mail", "mail"],
  ["554 5.6.0 Message contains bare newlines, which your host may not send", "mail", "mail"],
  ["550 5.4.6 Routing loop", "mail", "mail"],
] as const;

test("what servers say of an address is told from what they say of who sends", () => {
  for (const answer of ofAddress) {
    assert.equal(subjectOfRefusal(answer, "recipient"), "address", answer);
  }
  for (const answer of ofSender) {
    for (const moment of ["recipient", "other"] as const)
      assert.equal(subjectOfRefusal(answer, moment), "sender", `${moment}: ${answer}`);
  }
  for (const [answer, atRecipient, later] of others) {
    assert.deepEqual(
      (["recipient", "other"] as const).map((moment) => subjectOfRefusal(answer, moment)),
      [atRecipient, later],
      answer,
    );
  }
});
