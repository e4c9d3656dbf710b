/** Runs `brokerwire doctor`. */
import { type Brokerage, createBrokerage } from '@brokerwire/client'
import { findProxy } from '@brokerwire/core/internal'
import { chooseProxy } from '@brokerwire/core/proxy'
import { parseRelayConfig } from '@brokerwire/relay'
import { optionError } from '../cli-error.ts'
import {
  checkClock,
  checkCreates,
  checkSignature,
  checkSubscription,
  checkTable,
  checkToken,
} from '../doctor/checks.ts'
import { note, ok } from '../doctor/finding.ts'
import { checkDns, checkProxy, checkTcp, checkTls, checkTunnel } from '../doctor/network.ts'
import { checkAddresses, checkEnvironment } from '../doctor/production/addresses.ts'
import { checkDurable, checkPrivateFile } from '../doctor/production/files.ts'
import { PROGRAM_DECISIONS } from '../doctor/production/program.ts'
import { relayChecks } from '../doctor/production/relay.ts'
import { checkNode, checkPackages, findPackages } from '../doctor/production/versions.ts'
import { type CheckRunner, createCheckRunner } from '../doctor/runner.ts'
import type { Run } from '../frame/definition.ts'
import { readText } from '../input.ts'
import type { GuardedIo } from '../io.ts'
import {
  type Connection,
  parseList,
  readConnection,
  readSettings,
  type SettingFlags,
} from '../settings/read-settings.ts'
import type { Settings } from '../settings/settings.ts'

type Flags = SettingFlags & {
  readonly streams?: boolean
  readonly live?: boolean
  readonly output?: string
  readonly production?: boolean
  readonly config?: string
  readonly json?: boolean
  readonly timeout: string
}

export const run: Run<Flags> = async ({ flags, io }) => {
  if (flags.live) return (await import('./doctor-live.ts')).runLive(flags, io)
  if (flags.output !== undefined) throw optionError('--output', 'must be given together with --live')
  const runner = createCheckRunner(flags, io)
  if (flags.config !== undefined) {
    if (!flags.production) throw optionError('--config', 'must be given together with --production')
    const config = parseRelayConfig(await readText(flags.config), flags.config)
    for (const { name, check } of relayChecks(config)) await runner.run(name, check)
    await checkVersions(runner)
    return runner.finish()
  }
  const settings = await readSettings(flags, io)
  const connection = await readConnection(flags, settings, io)
  await using brokerage = createBrokerage({ ...connection, http: { maxRetries: 0 } })
  await checkService(runner, brokerage, connection, io)
  const store = settings.store?.value
  const isReadable = await runner.run('token', () => checkToken(connection, store))
  if (isReadable && store !== undefined)
    await runner.run('token creates', () => checkCreates(connection, store))
  if (flags.streams) {
    io.err('subscribing once to the trade stream, which uses one of five slots for about a minute')
    await runner.run('subscription', (signal) =>
      checkSubscription(connection, parseList(settings.accounts?.value ?? ''), signal),
    )
  }
  if (flags.production) await checkProduction(runner, brokerage, settings)
  return runner.finish()
}

/** Checks addresses, network, clock and signature. */
async function checkService(
  runner: CheckRunner,
  brokerage: Brokerage,
  connection: Connection,
  io: GuardedIo,
): Promise<void> {
  const { baseUrl, eventsUrl, moduleEventsUrl } = brokerage.endpoint
  await runner.run('endpoint table', () => checkTable(brokerage))
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
      if (!(await runner.run(`proxy ${of}`, (signal) => checkProxy(proxy, signal)))) continue
      if (!(await runner.run(`CONNECT ${of}`, (signal) => checkTunnel(proxy, url, signal)))) continue
    } else {
      if (choice.type === 'excluded')
        await runner.run(`proxy ${of}`, () => ok(`none: ${url.hostname} is in ${choice.source}`))
      if (!(await runner.run(`DNS ${of}`, () => checkDns(url)))) continue
      if (!(await runner.run(`TCP ${of}`, (signal) => checkTcp(url, signal)))) continue
    }
    await runner.run(`TLS ${of}`, (signal) => checkTls(url, needsHttp2, signal, proxy))
  }
  if (
    baseUrl !== undefined &&
    (await runner.run('clock', (signal) =>
      checkClock(new URL(baseUrl), connection.maxClockOffsetMs, connection.proxy, signal),
    ))
  )
    await runner.run('signature', (signal) => checkSignature(brokerage, signal))
}

/** Checks what a service in production needs. */
async function checkProduction(
  runner: CheckRunner,
  { endpoint }: Brokerage,
  settings: Settings,
): Promise<void> {
  const { environment, baseUrl, eventsUrl, moduleEventsUrl, mqttUrl } = endpoint
  await runner.run('environment', () => checkEnvironment(environment))
  await runner.run('addresses', () =>
    checkAddresses({
      requests: baseUrl,
      events: eventsUrl,
      'module events': moduleEventsUrl,
      'market data': mqttUrl,
    }),
  )
  const store = settings.store?.value
  if (store !== undefined) await runner.run('store', () => checkDurable(store))
  const secretFile = settings.appSecretFile?.value
  await runner.run('app secret', () =>
    secretFile === undefined
      ? note('not from a file: a file is easier to replace')
      : checkPrivateFile(secretFile),
  )
  await checkVersions(runner)
  for (const { check, text } of PROGRAM_DECISIONS) await runner.run(check, () => note(text))
}

async function checkVersions(runner: CheckRunner): Promise<void> {
  await runner.run('Node', () => checkNode(process.versions.node, Date.now()))
  await runner.run('packages', async () => checkPackages(await findPackages(process.cwd())))
}
