import { HttpError } from '@brokerwire/http'
import { expect, test } from 'vitest'
import type { StreamingCall } from '../connection/calls.ts'
import { createStreamingApi } from './streaming-api.ts'

const call: StreamingCall = {
  action: 'subscribe',
  category: 'US_STOCK',
  types: 2,
  depth: undefined,
  overnight: undefined,
  symbols: ['A'],
}

test.each([
  [401, 'HTTP_UNAUTHORIZED', 'unauthorized'],
  [404, 'HTTP_CLIENT_ERROR', 'unusable'],
] as const)(
  'status %i is reported, with whether a call of any connection succeeded before',
  async (status, code, kind) => {
    const statuses: (number | undefined)[] = [status, undefined, status]
    const api = createStreamingApi({
      http: {
        async request() {
          if (statuses.shift() !== undefined)
            throw new HttpError(code, 'of a test', {
              details: {
                method: 'POST',
                path: '/',
                status,
                serviceCode: undefined,
                serviceMessage: undefined,
                sentOnce: true,
                requestId: undefined,
                retryAfterMs: undefined,
              },
            })
          return {} as never
        },
      },
      paths: 'market-data',
      pathFallback: false,
      apiVersion: 'v2',
      requestSnapshot: undefined,
      clientToken: undefined,
    })
    const send = (sessionId: string) => api.send(call, sessionId, new AbortController().signal)
    expect(await send('one')).toMatchObject({ kind, status, workedBefore: false })
    expect(await send('one')).toEqual({ kind: 'done' })
    expect(await send('two')).toMatchObject({ kind, status, workedBefore: true })
  },
)
