/**
 * Test projects. `*.test.ts` beside the source runs in Node; those of the edge packages run unchanged in workerd
 * too, and in both one after the other in the same place. `*.node.test.ts` needs Node (files, processes, servers).
 * Everything runs from source, without a build.
 */
import { availableParallelism } from 'node:os'
import { cloudflareTest } from '@cloudflare/vitest-pool-workers'
import { defineConfig } from 'vitest/config'
import { ByProject } from './tools/ci/by-project.ts'

const SOURCE = '@brokerwire/source'
/** Without `import`: Node is told these too, and a package's own `require` would then be given another's ES module. */
const NODE = [SOURCE, 'node', 'module', 'default']
const WORKERD = [SOURCE, 'workerd', 'worker', 'browser', 'module', 'import', 'default']
/** Packages as a runtime picks them, whichever way Vite resolves. */
const resolvedAs = (conditions: string[]) => ({ ssr: { resolve: { conditions } }, resolve: { conditions } })
/** Projects do not take it over from the root. Generous: a test waits for an event, whatever else the machine does. */
const PATIENCE = { testTimeout: 60_000, expect: { poll: { timeout: 45_000 } } }
/** What was transformed once stays on disk, by content, for the next run. */
const KEPT = { fsModuleCache: true }
const EDGE_PACKAGES = [
  'core',
  'signer',
  'payloads',
  'protos',
  'tokens',
  'stores',
  'http',
  'quotes',
  'edge',
  'client',
]
const EDGE_TESTS = EDGE_PACKAGES.map((name) => `packages/${name}/src/**/*.test.ts`)

/**
 * workerd reports an answer's body that breaks off or is cancelled as an unhandled rejection of its own, beside the one
 * that the reader handles, and whichever way the body is read. Those come without a line of code in their stack.
 */
const HOST_REPORTS = new Set(['Network connection lost.', 'Stream was cancelled.'])

export default defineConfig({
  // The global setup belongs to no project: it is resolved as the Node tests are.
  environments: {
    __vitest__: { resolve: { conditions: NODE } },
  },
  test: {
    onUnhandledError: ({ message, stack = '' }) => !HOST_REPORTS.has(message) || /\n\s+at /.test(stack),
    // Vitest leaves one core free: on a machine of two, half of it. Tests wait for sockets, timers and processes, too: one
    // worker more than there are cores fills those waits, and takes a sixth off the time.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: ByProject },
    globalSetup: [
      // Servers for tests in workerd, which cannot listen.
      './packages/http/src/test/service-host.ts',
      './packages/client/src/test/simulator-host.ts',
      './packages/testing/src/template-folder.ts',
    ],
    projects: [
      {
        ...resolvedAs(NODE),
        test: {
          name: 'node-edge',
          ...PATIENCE,
          environment: 'node',
          // They share nothing with anybody: a process for each would take longer than its tests.
          isolate: false,
          experimental: KEPT,
          include: EDGE_TESTS,
          exclude: ['**/node_modules/**', '**/dist/**', '**/*.node.test.ts', '**/*.workerd.test.ts'],
        },
      },
      {
        ...resolvedAs(NODE),
        test: {
          name: 'node',
          ...PATIENCE,
          environment: 'node',
          // Nearly half of what a file costs is the loading of what it tests. What a worker of three keeps for its next file
          // is the modules: a test file that changes the process puts it back.
          isolate: false,
          experimental: KEPT,
          include: [
            'packages/*/src/**/*.test.ts',
            'packages/console/test/*.test.ts',
            'examples/**/*.test.ts',
            'tools/**/*.test.ts',
          ],
          exclude: [
            '**/node_modules/**',
            '**/dist/**',
            '**/*.workerd.test.ts',
            // Those that run above.
            ...EDGE_PACKAGES.map((name) => `packages/${name}/src/**/!(*.node).test.ts`),
          ],
        },
      },
      {
        plugins: [cloudflareTest({ miniflare: { compatibilityDate: '2026-01-01' } })],
        ...resolvedAs(WORKERD),
        test: {
          name: 'workerd',
          ...PATIENCE,
          // One worker for all files: starting one for each took three quarters of the time.
          isolate: false,
          include: EDGE_TESTS,
          exclude: ['**/node_modules/**', '**/dist/**', '**/*.node.test.ts', '**/*.workerd.test.ts'],
        },
      },
      {
        plugins: [
          cloudflareTest({
            main: './packages/stores/src/test/object-worker.ts',
            miniflare: {
              compatibilityDate: '2026-01-01',
              durableObjects: { STORE: { className: 'StoreObject', useSQLite: true } },
            },
          }),
        ],
        ...resolvedAs(WORKERD),
        test: {
          name: 'workerd-objects',
          ...PATIENCE,
          include: ['packages/stores/src/**/*.workerd.test.ts'],
        },
      },
    ],
  },
})
