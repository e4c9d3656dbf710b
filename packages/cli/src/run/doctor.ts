/** Runs `brokerwire doctor`. */
import { createBrokerage } from '@brokerwire/client'
import { escapeControlChars } from '@brokerwire/core'
import { addAbortListener, escapeJsonControlChars, findProxy } from '@brokerwire/core/internal'
import { chooseProxy } from '@brokerwire/core/proxy'
import { optionError } from '../cli-error.ts'
import {
  checkClock,
  checkCreates,
  checkSignature,
  checkSubscription,
  checkTable,
  checkToken,
} from '../doctor/checks.ts'
import { type CheckResult, type Finding, failed, ok } from '../doctor/finding.ts'
import { checkDns, checkProxy, checkTcp, checkTls, checkTunnel } from '../doctor/network.ts'
import { EXIT } from '../exit-status.ts'
import type { Run } from '../frame/definition.ts'
import { parseDuration } from '../number-option.ts'
import { createPaint } from '../render/palette.ts'
import { parseList, readConnection, readSettings, type SettingFlags } from '../settings/read-settings.ts'

type Flags = SettingFlags & {
  readonly streams?: boolean
  readonly live?: boolean
  readonly output?: string
  readonly json?: boolean
  readonly timeout: string
}

const TONES = { ok: 'good', note: 'notice', failed: 'bad' } as const

export const run: Run<Flags> = async ({ flags, io }) => {
  if (flags.live) return (await import('./doctor-live.ts')).runLive(flags, io)
  if (flags.output !== undefined) throw optionError('--output', 'must be given together with --live')
  const settings = await readSettings(flags, io)
  const connection = await readConnection(flags, settings, io)
  await using brokerage = createBrokerage({ ...connection, http: { maxRetries: 0 } })
  const { baseUrl, eventsUrl, moduleEventsUrl } = brokerage.endpoint
  const paint = createPaint(io.color)
  const limitMs = parseDuration(flags.timeout) ?? 1
  const findings: Finding[] = []

  /**
   * Runs a check with its time limit, and prints its result immediately.
   *
   * @returns Whether the check has passed or was skipped.
   */
  const runCheck = async (
    check: string,
    work: (signal: AbortSignal) => CheckResult | Promise<CheckResult>,
  ): Promise<boolean> => {
    io.signal.throwIfAborted()
    const startMs = performance.now()
    const late = new AbortController()
    const timer = setTimeout(
      () => late.abort(new DOMException('the time limit has passed', 'TimeoutError')),
      limitMs,
    )
    const signal = AbortSignal.any([io.signal, late.signal])
    const stopped = new Promise<CheckResult>((resolve) => {
      addAbortListener(signal, () =>
        resolve(failed(`no result within ${flags.timeout}`, 'try again, or with a longer --timeout')),
      )
    })
    const verdict = await Promise.race([Promise.resolve(work(signal)), stopped]).finally(() =>
      clearTimeout(timer),
    )
    io.signal.throwIfAborted()
    const finding: Finding = { check, ...verdict, ms: Math.round(performance.now() - startMs) }
    findings.push(finding)
    if (!flags.json) {
      const { result, text, next, ms } = finding
      io.out(
        `${paint(TONES[result], result.padEnd(6))}  ${check.padEnd(22)} ${escapeControlChars(text, 500)}  ${paint('muted', `${ms} ms`)}`,
      )
      if (next !== undefined) io.out(`        next: ${escapeControlChars(next)}`)
    }
    return verdict.result !== 'failed'
  }

  await runCheck('endpoint table', () => checkTable(brokerage))
  const hosts = new Map<string, { readonly names: string[]; readonly needsHttp2: boolean }>()
  for (const [name, url] of Object.entries({
    requests: baseUrl,
    events: eventsUrl,
    'module events': moduleEventsUrl,
  })) {
    if (url === undefined) continue
    const known = hosts.get(url)
    if (known === undefined) hosts.set(url, { names: [name], needsHttp2: name !== 'requests' })
    else known.names.push(name)
  }
  for (const [address, { names, needsHttp2 }] of hosts) {
    const url = new URL(address)
    const of = names.join(', ')
    const choice = chooseProxy(io.env, address)
    const proxy = choice.type === 'proxy' ? findProxy(() => choice.address, address) : undefined
    if (proxy !== undefined) {
      if (!(await runCheck(`proxy ${of}`, (signal) => checkProxy(proxy, signal)))) continue
      if (!(await runCheck(`CONNECT ${of}`, (signal) => checkTunnel(proxy, url, signal)))) continue
    } else {
      if (choice.type === 'excluded')
        await runCheck(`proxy ${of}`, () => ok(`none: ${url.hostname} is in ${choice.source}`))
      if (!(await runCheck(`DNS ${of}`, () => checkDns(url)))) continue
      if (!(await runCheck(`TCP ${of}`, (signal) => checkTcp(url, signal)))) continue
    }
    await runCheck(`TLS ${of}`, (signal) => checkTls(url, needsHttp2, signal, proxy))
  }
  if (
    baseUrl !== undefined &&
    (await runCheck('clock', (signal) =>
      checkClock(new URL(baseUrl), connection.maxClockOffsetMs, connection.proxy, signal),
    ))
  )
    await runCheck('signature', (signal) => checkSignature(brokerage, signal))
  const store = settings.store?.value
  const isReadable = await runCheck('token', () => checkToken(connection, store))
  if (isReadable && store !== undefined)
    await runCheck('token creates', () => checkCreates(connection, store))
  if (flags.streams) {
    io.err('subscribing once to the trade stream, which uses one of five slots for about a minute')
    await runCheck('subscription', (signal) =>
      checkSubscription(connection, parseList(settings.accounts?.value ?? ''), signal),
    )
  }
  const failures = findings.filter(({ result }) => result === 'failed').length
  if (flags.json) io.out(escapeJsonControlChars(JSON.stringify({ failed: failures, findings })))
  else io.out(`${findings.length - failures} of ${findings.length} checks passed`)
  return failures === 0 ? EXIT.done : EXIT.no
}
