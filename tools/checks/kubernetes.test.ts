/**
 * `deploy/kubernetes`, against the schemas of Kubernetes that `kubernetes-models` has. Its validators accept
 * unknown fields, so the compiler compares the manifests with its types, which reject them.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseRelayConfig } from '@brokerwire/relay'
import { StatefulSet } from 'kubernetes-models/apps/v1'
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1'
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1'
import { ConfigMap, Service } from 'kubernetes-models/v1'
import { expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { run } from '../ci/lib/run.ts'
import { ROOT } from '../ci/lib/workspace.ts'

const KINDS = { ConfigMap, Service, StatefulSet, PodDisruptionBudget, NetworkPolicy }
type Kind = keyof typeof KINDS

interface Manifest {
  readonly apiVersion: string
  readonly kind: Kind
}

const manifests = parseAllDocuments(readFileSync(join(ROOT, 'deploy/kubernetes/relay.yaml'), 'utf8')).map(
  (document) => document.toJS() as Manifest,
)

/** Returns the manifest of a kind. */
function manifestOf<T>(kind: Kind): T {
  const found = manifests.find((manifest) => manifest.kind === kind)
  if (found === undefined) throw new Error(`there is no ${kind}`)
  return found as T
}

const relay = manifestOf<StatefulSet>('StatefulSet')
const pod = relay.spec?.template.spec
const [container] = pod?.containers ?? []

test.each(manifests.map((manifest) => [manifest.kind, manifest] as const))(
  'the %s is valid by the schema of Kubernetes',
  (kind, manifest) => {
    expect(manifest.apiVersion).toBe(KINDS[kind].apiVersion)
    new KINDS[kind](manifest as never).validate()
  },
)

/** Compiles values as arguments of the constructors. Returns the messages of the compiler. */
async function compile(values: readonly Manifest[]): Promise<string> {
  const cache = join(ROOT, 'tools/node_modules/.cache')
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, 'kubernetes-'))
  try {
    const moduleOf = (apiVersion: string): string => `kubernetes-models/${apiVersion}`
    const lines = values.flatMap(({ apiVersion, kind, ...value }) => [
      `import { ${kind} } from '${moduleOf(apiVersion)}'`,
      `new ${kind}(${JSON.stringify(value)})`,
    ])
    writeFileSync(join(folder, 'manifests.ts'), lines.join('\n'))
    const compilerOptions = {
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      module: 'nodenext',
      target: 'es2022',
      types: [],
    }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['manifests.ts'] }))
    const compiler = join(ROOT, 'tools/node_modules/typescript-7/bin/tsc')
    const { output } = await run(process.execPath, [compiler, '-p', '.', '--pretty', 'false'], {
      cwd: folder,
    })
    return output.trim()
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

test('the manifests have no field that Kubernetes does not know', { timeout: 60_000 }, async () => {
  expect(await compile(manifests)).toBe('')
  const misspelled = { ...relay, spec: { ...relay.spec, replica: 2 } } as unknown as Manifest
  expect(await compile([misspelled])).toMatch(/'"replica"' does not exist/)
})

test('the probes and Prometheus use the paths and the port of the relay, whose configuration is valid', () => {
  const text = manifestOf<ConfigMap>('ConfigMap').data?.['relay.json'] ?? ''
  const { health, name } = parseRelayConfig(text, 'relay.json')
  expect(health).toEqual({ host: '0.0.0.0', port: 8480 })
  // Kubernetes sets the variable to the name of the pod.
  expect(name).toEqual({ env: 'HOSTNAME' })
  expect(container?.ports).toEqual([{ name: 'health', containerPort: health.port }])
  expect(container?.livenessProbe?.httpGet).toEqual({ path: '/healthz', port: 'health' })
  expect(container?.readinessProbe?.httpGet).toEqual({ path: '/readyz', port: 'health' })
  expect(relay.spec?.template.metadata?.annotations).toMatchObject({
    'prometheus.io/path': '/metrics',
    'prometheus.io/port': String(health.port),
  })
  expect(manifestOf<NetworkPolicy>('NetworkPolicy').spec?.ingress?.[0]?.ports?.[0]?.port).toBe(health.port)
})

test('Kubernetes waits longer than the eight seconds of a handover, and the pod can read its files', () => {
  expect(pod?.terminationGracePeriodSeconds).toBeGreaterThan(2 * 8)
  const containerfile = readFileSync(join(ROOT, 'deploy/relay/Containerfile'), 'utf8')
  expect(containerfile).toContain('USER node')
  expect(pod?.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000, fsGroup: 1000 })
  expect(pod?.volumes?.find(({ name }) => name === 'secrets')?.secret?.defaultMode).toBe(0o440)
})
