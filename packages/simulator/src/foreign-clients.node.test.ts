/**
 * Clients of other gRPC libraries, over the wire (`test/foreign/foreign-client.ts`). The short set runs grpc-js without
 * TLS.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, inject, it } from 'vitest'
import { createSelfSignedCertificate, MODULE_NAMES, MODULES, startSimulator } from './index.ts'
import { FOREIGN_CLIENTS, type ForeignReport, runForeignClient } from './test/foreign/foreign-client.ts'

/** In CI a missing library is a failure. On other machines Go is optional. */
const mustRun = (name: string): boolean => process.env.CI !== undefined && name !== 'grpc-go'
const COMPILE_MS = 240_000

const eventTypes = [...new Set(Object.values(MODULES).map(({ eventType }) => eventType))]
const folder = await mkdtemp(join(tmpdir(), 'brokerwire-foreign-'))
afterAll(() => rm(folder, { recursive: true, force: true }))

const isFullRun = inject('isFullRun')
const clients = isFullRun ? FOREIGN_CLIENTS : FOREIGN_CLIENTS.filter(({ name }) => name === 'grpc-js')
const ADDRESSES = [
  ['in clear text', '127.0.0.1', undefined],
  ['over TLS, to a name', 'localhost', createSelfSignedCertificate()],
  ['over TLS, to an address', '127.0.0.1', createSelfSignedCertificate()],
] as const

describe.each(clients)('a client on $name', ({ name, isInstalled, install, prepare }) => {
  const runs = isInstalled || mustRun(name)
  if (!runs) process.stdout.write(`skipped: a client on ${name}: ${install}\n`)
  let command: ReturnType<typeof prepare> | undefined

  it.runIf(runs).each(isFullRun ? ADDRESSES : ADDRESSES.slice(0, 1))(
    'subscribes %s, also compressed, and modified or replayed requests are rejected',
    async (_, host, tls) => {
      await using sim = await startSimulator({
        tls,
        scenario: 'lifecycles-forever',
        scenarioIntervalMs: 5,
        // The server notices a closed connection with a delay.
        maxConnections: 20,
        apps: [{}, { region: 'hk' }],
      })
      command ??= prepare(folder)
      const at = (url: string): string => `${host}:${new URL(url).port}`
      const running = await command
      // All clients run at the same time, each with its own app key. The scenario belongs to the first app,
      // and the interval sends events of the second.
      const beat = setInterval(() => {
        sim.apps[1]?.emitOrder()
        for (const name of MODULE_NAMES) sim.apps[1]?.emitModule({ module: name })
      }, 5)
      const reports = await Promise.all(
        sim.apps.map(({ credentials, accounts }) =>
          runForeignClient(running, {
            trade: at(sim.eventsUrl),
            module: at(sim.moduleEventsUrl),
            ca: tls?.cert ?? null,
            appKey: credentials.appKey,
            appSecret: credentials.appSecret.reveal(),
            account: String(accounts[0]),
            eventTypes,
          }),
        ),
      ).finally(() => clearInterval(beat))
      const rejection = (rule: string): unknown => expect.stringMatching(new RegExp(`^UNAUTHORIZED: ${rule}`))
      const expected = (service: string, data: number, authError: number): unknown[] => [
        {
          service,
          case: 'plain',
          status: 'left',
          frames: [
            [0, ''],
            [data, 'an event'],
          ],
        },
        { service, case: 'replayed', status: 'OK', frames: [[authError, rejection('replay')]] },
        {
          service,
          case: 'gzip',
          status: 'left',
          frames: [
            [0, ''],
            [data, 'an event'],
          ],
        },
        { service, case: 'tampered', status: 'OK', frames: [[authError, rejection('signature')]] },
      ]
      for (const [index, app] of sim.apps.entries()) {
        const sent = new Set([...app.tradeEvents(), ...app.moduleEvents()].map(({ payload }) => payload))
        const seen = reports[index]?.map(({ frames, ...report }: ForeignReport) => ({
          ...report,
          frames: frames.map(({ kind, payload }) => [kind, sent.has(payload) ? 'an event' : payload]),
        }))
        expect(seen).toEqual([...expected('trade', 1024, 2), ...expected('module', 2, 3)])
        const compressed = sim
          .requests()
          .filter(
            (item) => item.appKey === app.credentials.appKey && item.headerNames.includes('grpc-encoding'),
          )
        expect(compressed.map(({ subscription }) => subscription?.service)).toEqual(['trade', 'module'])
      }
    },
    COMPILE_MS,
  )
})
