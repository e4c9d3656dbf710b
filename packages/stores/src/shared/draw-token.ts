/** Makes the name of somebody who takes a lock. */
export function drawToken(): string {
  return crypto.randomUUID()
}
declare const crypto: { randomUUID(): string }
