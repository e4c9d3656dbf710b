/** Compose files and drop-ins of systemd in `deploy/relay`, and the configurations that they use. */
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Secret } from '@brokerwire/core'
import { checkRelay, parseRelayConfig } from '@brokerwire/relay'
import { expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { ROOT } from '../ci/lib/workspace.ts'

const FOLDER = join(ROOT, 'deploy/relay')
const read = (file: string): string => readFileSync(join(FOLDER, file), 'utf8')
const UNIT = 'brokerwire-relay.service'

interface Service {
  readonly extends?: { readonly file: string; readonly service: string }
  readonly secrets?: readonly string[]
  readonly volumes?: readonly string[]
  readonly ports?: readonly string[]
  readonly image?: string
}
interface Compose {
  readonly services: Readonly<Record<string, Service>>
  readonly secrets?: Readonly<Record<string, { readonly file: string }>>
}

const common = (parse(read('service.yaml')) as Compose).services.relay
const files = readdirSync(FOLDER).filter((file) => file.startsWith('compose'))
const composeOf = (file: string): Compose => parse(read(file))

/** The configuration that the relay of a Compose file mounts. */
function configOf({ services }: Compose): string {
  const mount = services.relay?.volumes?.find((volume) => volume.endsWith(':/etc/brokerwire/relay.json:ro'))
  return read((mount ?? '').split(':')[0] ?? '')
}

/** The files in `/run/secrets` that a configuration names. */
const secretsIn = (config: string): string[] => [
  ...new Set([...config.matchAll(/"\/run\/secrets\/([\w-]+)"/g)].map(([, name = '']) => name)),
]

test('there is a Compose file for each sink of the command', () => {
  const types = files.map((file) => parseRelayConfig(configOf(composeOf(file))).sink.type)
  expect(types.sort()).toEqual(['file', 'jetstream', 'postgres', 'redis', 'webhook'])
})

test.each(files)('%s: the relay gets the secrets and a valid configuration', async (file) => {
  const compose = composeOf(file)
  const { relay } = compose.services
  expect(relay?.extends).toEqual({ file: 'service.yaml', service: 'relay' })
  const text = configOf(compose)
  const needed = secretsIn(text)
  expect([...(common?.secrets ?? []), ...(relay?.secrets ?? [])].sort()).toEqual(needed.sort())
  expect(Object.keys(compose.secrets ?? {})).toEqual(expect.arrayContaining(needed))
  const secret = (field: string): string =>
    field === 'sink.secret' ? `whsec_${'A'.repeat(32)}` : 'a-right-one-of-32-characters-000'
  await checkRelay(parseRelayConfig(text), async (field) => new Secret(secret(field)), { HOSTNAME: 'one' })
})

test.each(files)('%s: other machines reach no port', (file) => {
  for (const { ports = [] } of Object.values(composeOf(file).services))
    for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:/)
})

test.skipIf(!existsSync('/usr/bin/docker-compose')).each(files)('%s: Compose accepts it', (file) => {
  const { status, stderr } = spawnSync(
    '/usr/bin/docker-compose',
    ['-f', join(FOLDER, file), 'config', '--quiet'],
    {
      encoding: 'utf8',
    },
  )
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
})

const dropIns = readdirSync(join(FOLDER, `${UNIT}.d`))

test.each(dropIns)('the drop-in %s passes the secret of the configuration', (file) => {
  const text = read(`${UNIT}.d/${file}`)
  const [, name] = /^LoadCredential=([\w-]+):\/etc\/brokerwire\/\1$/m.exec(text) ?? []
  const needed = secretsIn(read(`relay-${file.replace('.conf', '.json')}`))
  expect(needed.filter((secret) => !['app-key', 'app-secret'].includes(secret))).toEqual([name])
})

test.skipIf(!existsSync('/usr/bin/systemd-analyze')).each(dropIns)(
  'systemd accepts the drop-in %s',
  (file) => {
    const folder = mkdtempSync(join(tmpdir(), 'brokerwire-unit-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    cpSync(join(FOLDER, UNIT), join(folder, UNIT))
    cpSync(join(FOLDER, `${UNIT}.d`, file), join(folder, `${UNIT}.d`, file))
    const { status, stdout, stderr } = spawnSync('/usr/bin/systemd-analyze', ['verify', join(folder, UNIT)], {
      encoding: 'utf8',
    })
    const about = `${stdout}${stderr}`.split('\n').filter((line) => line.includes(UNIT))
    expect({ status, about }).toEqual({ status: 0, about: [] })
  },
)
