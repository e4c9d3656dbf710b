/** `brokerwire doctor --production`, for settings and for the configuration of a relay. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startService, temporaryStore } from '../test/service.ts'

const service = await startService('--scenario', 'none', '--rate-limit', 'off')
const SECRET = service.env.BROKERWIRE_APP_SECRET ?? ''

test('checks the settings, and lists the decisions that it cannot see', async () => {
  const { status, out, err } = await service.run(['doctor', '--production', '--json'])
  const { findings } = JSON.parse(out.join()) as {
    findings: { check: string; result: string; text: string }[]
  }
  const results = Object.fromEntries(findings.map(({ check, result }) => [check, result]))
  expect(results).toMatchObject({
    environment: 'ok',
    addresses: 'note',
    store: 'failed',
    'app secret': 'note',
    Node: expect.stringMatching(/ok|note/),
    'program: second factor': 'note',
    clock: 'ok',
    signature: 'ok',
  })
  expect(status).toBe(1)
  expect([...out, ...err].join('\n')).not.toContain(SECRET)
}, 30_000)

test('checks the configuration of a relay without a connection', async () => {
  const directory = temporaryStore()
  mkdirSync(directory, { mode: 0o700 })
  const secret = join(directory, 'secret')
  writeFileSync(secret, SECRET, { mode: 0o600 })
  const config = join(directory, 'relay.json')
  writeFileSync(
    config,
    JSON.stringify({
      apps: [
        {
          name: 'team-a',
          environment: 'production',
          region: 'us',
          appKey: { env: 'KEY' },
          appSecret: { file: secret },
          accounts: ['A1'],
        },
      ],
      sink: { type: 'postgres', connection: { file: secret } },
      store: { type: 'postgres' },
    }),
  )
  const { status, out } = await service.run(['doctor', '--production', '--config', config], { env: {} })
  expect(out.filter((line) => line.startsWith('failed'))).toEqual([])
  expect(out.find((line) => line.includes('team-a: secret'))).toMatch(/^ok .*only its owner can read/)
  expect(out.find((line) => line.includes('sink: secret'))).toMatch(/^ok /)
  expect(status).toBe(0)
})

test('rejects --config without --production', async () => {
  const { status, err } = await service.run(['doctor', '--config', 'relay.json'])
  expect({ status, err: err.join() }).toMatchObject({
    status: 2,
    err: expect.stringContaining('--production'),
  })
})
