/** What an error says where a request went out that must not be repeated. */
import type { Prepared } from './prepare.ts'

/** Words for the end of a message; none where the request went out once, or may go out again. */
export function perhapsTwice({ repeat }: Prepared, sentOnce: boolean): string {
  return repeat === 'always' || sentOnce ? '' : '; the host may have sent it more than once'
}
