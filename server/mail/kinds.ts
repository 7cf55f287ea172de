import { type AssignedFacts, assignedMail } from "../assignments/mail-assigned.ts";
import { type DueSoonFacts, dueSoonMail } from "../assignments/mail-due-soon.ts";
import { type OverdueFacts, overdueMail } from "../assignments/mail-overdue.ts";
import { type JobDoneFacts, jobDoneMail } from "../bulk/mail-job-done.ts";
import { type ExpiringFacts, expiringMail } from "../certificates/mail-expiring.ts";
import { type IssuedFacts, issuedMail } from "../certificates/mail-issued.ts";
import { type GradedFacts, gradedMail } from "../grading/mail-graded.ts";
import { type WeeklyFacts, weeklyMail } from "../groups/mail-weekly.ts";
import { type RetakeFacts, retakeMail } from "../learning/mail-retake.ts";
import { type NewVersionFacts, newVersionMail } from "../lessons/mail-new-version.ts";
import { type InvitationFacts, invitationMail } from "../sessions/mail-invitation.ts";
import { type NewDeviceFacts, newDeviceMail } from "../sessions/mail-new-device.ts";
import { type PasswordResetFacts, passwordResetMail } from "../sessions/mail-password-reset.ts";
import { type AccountCreatedFacts, accountCreatedMail } from "../users/mail-account-created.ts";
import { type EndpointFailingFacts, endpointFailingMail } from "../webhooks/mail-endpoint-failing.ts";
import type { MailKind } from "./text.ts";

/** What the words of each kind need to know. */
export interface MailFacts {
  readonly account_created: AccountCreatedFacts;
  readonly assigned: AssignedFacts;
  readonly new_version: NewVersionFacts;
  readonly due_soon: DueSoonFacts;
  readonly overdue: OverdueFacts;
  readonly graded: GradedFacts;
  readonly retake: RetakeFacts;
  readonly issued: IssuedFacts;
  readonly expiring: ExpiringFacts;
  readonly invitation: InvitationFacts;
  readonly password_reset: PasswordResetFacts;
  readonly new_device: NewDeviceFacts;
  readonly endpoint_failing: EndpointFailingFacts;
  readonly job_done: JobDoneFacts;
  readonly weekly: WeeklyFacts;
}
export type MailKindName = keyof MailFacts;

/** Every kind of mail by its name; what each says stands in the feature that sends it. */
export const mailKinds: { readonly [Name in MailKindName]: MailKind<MailFacts[Name]> } = {
  account_created: accountCreatedMail,
  assigned: assignedMail,
  new_version: newVersionMail,
  due_soon: dueSoonMail,
  overdue: overdueMail,
  graded: gradedMail,
  retake: retakeMail,
  issued: issuedMail,
  expiring: expiringMail,
  invitation: invitationMail,
  password_reset: passwordResetMail,
  new_device: newDeviceMail,
  endpoint_failing: endpointFailingMail,
  job_done: jobDoneMail,
  weekly: weeklyMail,
};
