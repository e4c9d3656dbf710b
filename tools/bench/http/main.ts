/**
 * `pnpm bench:http [--json FILE] [--rounds N] [--requests N]`: what a signed request costs over a bare `fetch` that sends
 * as many headers and reads the same answer: processor's time of the client's process alone, one request after the other
 * and 16 at a time. The service runs in another process.
 *
 * A figure is the larger of the two: each is the median over the rounds, a round's contenders compared with its own `fetch`.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { bundleProgram } from '@brokerwire/testing/bundle-program'
import { median, ratioByRound, writeRatios } from '../figures.ts'

/** At most. */
const GOALS: Readonly<Record<string, number>> = {
  'http.request.vs_fetch': 1.45,
  'http.request_with_signal.vs_fetch': 1.55,
}

const { values } = parseArgs({
  options: {
    json: { type: 'string' },
    rounds: { type: 'string', default: '15' },
    requests: { type: 'string', default: '500' },
  },
})

async function measure(): Promise<Record<string, number[]>> {
  const folder = await mkdtemp(join(tmpdir(), 'brokerwire-bench-http-'))
  const [serverFile, clientFile] = [join(folder, 'server.mjs'), join(folder, 'client.mjs')] as const
  await bundleProgram(new URL('server-process.ts', import.meta.url), serverFile)
  await bundleProgram(new URL('client-process.ts', import.meta.url), clientFile)
  const server = spawn(process.execPath, [serverFile], { stdio: ['pipe', 'pipe', 'inherit'] })
  try {
    const [origin] = (await once(createInterface({ input: server.stdout }), 'line')) as [string]
    const args = ['--expose-gc', clientFile, origin, values.rounds, values.requests]
    const client = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    let output = ''
    client.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
    const [status] = (await once(client, 'close')) as [number | null]
    if (status !== 0) throw new Error(`the client ended with ${status}`)
    return JSON.parse(output) as Record<string, number[]>
  } finally {
    server.kill()
    await rm(folder, { recursive: true, force: true })
  }
}

const results = await measure()
for (const [name, rounds] of Object.entries(results)) {
  console.log(`${name.padEnd(44)}${median(rounds).toFixed(1).padStart(8)} µs of processor's time`)
}
const ratio = (name: string, to = 'fetch'): number => {
  const over = (suffix: string): number => ratioByRound(results[name + suffix], results[to + suffix])
  const [sequential, atOnce] = [over(''), over(', 16 at a time')]
  console.log(`${name} over ${to}: ${sequential.toFixed(2)}; 16 at a time ${atOnce.toFixed(2)}`)
  return Math.max(sequential, atOnce)
}
console.log()
const ratios: Readonly<Record<string, number>> = {
  'http.request.vs_fetch': ratio('request'),
  'http.request_with_signal.vs_fetch': ratio('request with a signal'),
  'http.request_with_signal.vs_fetch_with_signal': ratio('request with a signal', 'fetch with a signal'),
}
console.log()
for (const [name, value] of Object.entries(ratios)) {
  const goal = GOALS[name]
  console.log(
    `${name.padEnd(48)}${value.toFixed(2).padStart(6)}${goal === undefined ? '' : `   goal: at most ${goal}`}`,
  )
}
writeRatios(values.json, ratios)
