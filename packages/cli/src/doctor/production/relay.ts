/** Checks of a relay's configuration for production. */
import { resolveEndpoint } from '@brokerwire/core/endpoints'
import { isLoopback } from '@brokerwire/core/internal'
import type { RelayAppConfig, RelayConfig, SecretRef } from '@brokerwire/relay'
import { durationText } from '../../render/duration.ts'
import { type CheckResult, failed, note, ok } from '../finding.ts'
import type { Check } from '../runner.ts'
import { checkAddresses, checkEnvironment, isClearText } from './addresses.ts'
import { checkDurable, checkPrivateFile } from './files.ts'

/** A check with its name. */
export interface NamedCheck {
  readonly name: string
  readonly check: Check
}

const DAY_MS = 86_400_000

/** Returns the checks of a configuration. */
export function relayChecks(config: RelayConfig): NamedCheck[] {
  return [
    ...config.apps.flatMap(checksOfApp(config)),
    { name: 'store', check: () => checkStore(config) },
    ...checksOfSink(config),
    { name: 'health address', check: () => checkHealth(config) },
  ]
}

const checksOfApp =
  (config: RelayConfig) =>
  (app: RelayAppConfig): NamedCheck[] => [
    { name: `${app.name}: environment`, check: () => checkEnvironment(app.environment) },
    { name: `${app.name}: addresses`, check: () => checkAppAddresses(app) },
    { name: `${app.name}: secret`, check: () => checkSecret(app.appSecret) },
    { name: `${app.name}: connections`, check: () => checkConnections(app, config) },
  ]

function checkAppAddresses(app: RelayAppConfig): CheckResult {
  const { region, environment, baseUrl, eventsUrl, moduleEventsUrl, allowInsecure } = app
  const overrides = { baseUrl, eventsUrl, moduleEventsUrl, mqttUrl: undefined }
  const endpoint = resolveEndpoint({ region, environment, overrides, allowInsecure })
  return checkAddresses({
    requests: endpoint.baseUrl,
    events: endpoint.eventsUrl,
    'module events': endpoint.moduleEventsUrl,
  })
}

/** Checks the source of a secret: a file of mode 600, or an environment variable. */
function checkSecret(ref: SecretRef): CheckResult | Promise<CheckResult> {
  return 'file' in ref
    ? checkPrivateFile(ref.file)
    : note(`from the variable ${ref.env}: a file is easier to replace, and no child process inherits it`)
}

function checkConnections({ subscriptions }: RelayAppConfig, config: RelayConfig): CheckResult {
  const { maxConnections, slotLingerMs } = config
  const used = subscriptions.length
  const text = `${used} of ${maxConnections}`
  return 2 * used <= maxConnections
    ? ok(text)
    : note(
        `${text}: another relay that takes over waits up to ${durationText(slotLingerMs)} until the service stops counting lost connections`,
      )
}

function checkStore({ store }: RelayConfig): CheckResult | Promise<CheckResult> {
  return store.type === 'file' ? checkDurable(store.directory) : ok(`${store.type}: machines share it`)
}

function checksOfSink({ sink }: RelayConfig): NamedCheck[] {
  switch (sink.type) {
    case 'file':
      return [{ name: 'sink', check: () => checkDurable(sink.directory) }]
    case 'jetstream':
      return [
        { name: 'sink: TLS', check: () => checkServers(sink.servers) },
        {
          name: 'sink: copies',
          check: () => {
            if (sink.createStreams === undefined) return note('defined by the existing stream')
            const { replicas, maxAgeMs } = sink.createStreams
            const kept = `events are kept for ${maxAgeMs / DAY_MS} days at most`
            return replicas === 1
              ? note(`one: events are lost with the disk of that server; ${kept}`)
              : ok(`${replicas}; ${kept}`)
          },
        },
      ]
    case 'postgres':
      return [{ name: 'sink: secret', check: () => checkSecret(sink.connection) }]
    case 'redis':
      return [
        { name: 'sink: secret', check: () => checkSecret(sink.url) },
        {
          name: 'sink: durability',
          check: () =>
            note('set appendonly yes; a failover may lose the last events, which a gap notice reports'),
        },
      ]
    case 'webhook':
      return [
        { name: 'sink: TLS', check: () => checkServers([sink.url]) },
        { name: 'sink: secret', check: () => checkSecret(sink.secret) },
        {
          name: 'sink: dead letters',
          check: () =>
            sink.deadLetters === undefined
              ? note('none: one event that the receiver never accepts stops all later ones')
              : checkDurable(sink.deadLetters.directory),
        },
      ]
    case 'package':
      return [{ name: 'sink', check: () => note(`not visible here: ${sink.package}`) }]
  }
}

function checkServers(servers: readonly string[]): CheckResult {
  const clear = servers
    .map((server) => new URL(server))
    .filter((url) => isClearText(url) && !isLoopback(url.hostname))
  return clear.length === 0
    ? ok('TLS, or this machine')
    : failed(`clear text: ${clear.map(({ host }) => host).join(', ')}`, 'use tls: or https: addresses')
}

function checkHealth({ health }: RelayConfig): CheckResult {
  const isLocal = /^(?:127\.|localhost$|::1$)/.test(health.host)
  return isLocal
    ? ok(`${health.host}, port ${health.port}`)
    : note(`${health.host}, port ${health.port}: everyone who reaches it can read /metrics`)
}
