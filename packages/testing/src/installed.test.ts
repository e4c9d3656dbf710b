/**
 * If a server is not installed, the titles of its tests contain the command that installs it. In CI these
 * tests run, and fail with the same text.
 */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { decideNeed, PROGRAMS, type ServerPackage } from './installed.ts'

const ALL = Object.keys(PROGRAMS) as ServerPackage[]
const installed = Object.fromEntries(ALL.map((name) => [name, `/usr/bin/${name}`])) as Record<
  ServerPackage,
  string
>

test('those are the packages of Debian that .ci/run installs', () => {
  expect(ALL).toEqual([
    'redis-server',
    'postgresql',
    'nats-server',
    'pgbouncer',
    'mosquitto',
    'prometheus',
    'openssl',
    'squid',
    'tinyproxy',
    'python3',
    'python3-paho-mqtt',
    'python3-redis',
    'golang-go',
    'golang-github-nats-io-go-nats-dev',
  ])
  const script = readFileSync(new URL('../../../.ci/run', import.meta.url), 'utf8')
  for (const name of ALL) expect(script).toMatch(new RegExp(`^ *need .*\\b${name}\\b`, 'm'))
})

test.each(ALL)('without %s: skipped, with the command; never in CI', (name) => {
  const programs = { ...installed, [name]: undefined }
  expect(decideNeed([name], programs, false)).toEqual({
    skip: true,
    note: ` (skipped: not installed: apt-get install --no-install-recommends ${name})`,
  })
  expect(decideNeed([name], programs, true)).toEqual({ skip: false, note: '' })
  for (const other of ALL.filter((one) => one !== name))
    expect(decideNeed([other], programs, false)).toEqual({ skip: false, note: '' })
})

test('all that are missing stand in one command', () => {
  const programs = { ...installed, postgresql: undefined, pgbouncer: undefined }
  expect(decideNeed(['postgresql', 'pgbouncer'], programs, false).note).toBe(
    ' (skipped: not installed: apt-get install --no-install-recommends postgresql pgbouncer)',
  )
})
