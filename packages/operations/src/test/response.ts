/** A successful response with this body. */
import type { OperationResponseInput } from '@brokerwire/core'

export const response = (body: string): OperationResponseInput => ({
  status: 200,
  requestId: 'r1',
  text: () => body,
})
