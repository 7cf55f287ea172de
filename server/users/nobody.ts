/** What a user is called whose person is gone. */
export const NAME_OF_NOBODY = "Former user";
/** A domain that can't exist (RFC 2606). */
const DOMAIN_OF_NOBODY = "anonymous.invalid";

/** The e-mail of a user whose person is gone: each has another, as two users can't have one. */
export function emailOfNobody(user_id: number): string {
  return `user-${user_id}@${DOMAIN_OF_NOBODY}`;
}
