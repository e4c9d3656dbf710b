/** Creates the random name of a lock's holder. */
export function randomToken(): string {
  return crypto.randomUUID()
}
declare const crypto: { randomUUID(): string }
