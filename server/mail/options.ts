import type { Secrets } from "../secrets.ts";

/** What the mailer is told of the installation. Times are parameters, so that tests need not wait. */
export interface MailOptions {
  /** Signs the addresses that end mails with one click. */
  readonly secrets: Secrets;
  readonly publicUrl: string;
  /** The address of the fixed sender. */
  readonly from: string;
  /** Mails that go out in a second at most. */
  readonly perSecond: number;
  readonly dueSoonDays: readonly number[];
  /** How long what arises for one person is gathered before the first of it goes out. */
  readonly gatherMs?: number;
  readonly clock: () => Date;
  /** Is told what an administrator may have to look into. */
  readonly log?: (line: string) => void;
}

/** Who assigns ten lessons one by one is done within a minute: the person gets one letter. */
export const GATHER_MS = 60_000;
