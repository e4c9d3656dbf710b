/**
 * The client, in a process of its own: the contenders in turn, forward and backward, and of each block of requests the
 * processor's time that this process took. Writes microseconds a request, by contender.
 */
import { createHttpClient } from '@brokerwire/http'
import { createSigner } from '@brokerwire/signer'
import { APP_KEY, APP_SECRET, PATH, QUERY, SEARCH } from '../sign/request.ts'

const [origin = '', rounds = '', requests = ''] = process.argv.slice(2)
const TOKEN = 'b7e2f1c09a8d4c53916e07f2a1d8c4e3'
const AT_ONCE = 16
const WARM_UP = 4

const http = createHttpClient({
  baseUrl: origin,
  signer: createSigner({ appKey: APP_KEY, appSecret: APP_SECRET }),
})

/** As many headers as a signed request has, and none of the work that makes them. */
const bare = async (signal?: AbortSignal): Promise<unknown> => {
  const response = await fetch(`${origin}${PATH}?${SEARCH}`, {
    method: 'GET',
    headers: {
      accept: 'application/json',
      'x-version': 'v2',
      'x-app-key': APP_KEY,
      'x-timestamp': '2026-01-01T00:00:00Z',
      'x-signature-version': '1.0',
      'x-signature-algorithm': 'HMAC-SHA1',
      'x-signature-nonce': '48ef5afed43d4d91ae514aaeafbc29ba',
      'x-signature': 'kvlS6opdZDhEBo5jq40nHYXaLvM=',
      'x-access-token': TOKEN,
    },
    ...(signal && { signal }),
  })
  return await response.json()
}

const signed = async (signal?: AbortSignal): Promise<unknown> => {
  const response = await http.request({ method: 'GET', path: PATH, query: QUERY, accessToken: TOKEN, signal })
  return response.json()
}

type Send = (signal?: AbortSignal) => Promise<unknown>
const CONTENDERS: Readonly<Record<string, readonly [send: Send, withSignal: boolean]>> = {
  fetch: [bare, false],
  request: [signed, false],
  'fetch with a signal': [bare, true],
  'request with a signal': [signed, true],
}

/** Sends a request with each of the signals. */
async function block(
  send: Send,
  atOnce: number,
  signals: readonly (AbortSignal | undefined)[],
): Promise<void> {
  const left = signals.values()
  const worker = async (): Promise<void> => {
    for (const signal of left) await send(signal)
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
}

async function cpuOf(send: Send, withSignal: boolean, atOnce: number): Promise<number> {
  // One signal for each request, made before: it is the caller's.
  const signals = Array.from({ length: Number(requests) }, () =>
    withSignal ? new AbortController().signal : undefined,
  )
  await block(send, atOnce, new Array(atOnce).fill(undefined))
  // What the one before has left is not for this one to clean up.
  globalThis.gc?.()
  const before = process.cpuUsage()
  await block(send, atOnce, signals)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / Number(requests)
}

const results: Record<string, number[]> = {}
for (let round = -WARM_UP; round < Number(rounds); round += 1) {
  for (const atOnce of [1, AT_ONCE]) {
    const order = Object.entries(CONTENDERS)
    for (const [name, [send, withSignal]] of round % 2 === 0 ? order : order.reverse()) {
      const us = await cpuOf(send, withSignal, atOnce)
      const key = atOnce === 1 ? name : `${name}, ${atOnce} at a time`
      if (round >= 0) results[key] = [...(results[key] ?? []), us]
    }
  }
}
process.stdout.write(JSON.stringify(results))
process.exit(0)
