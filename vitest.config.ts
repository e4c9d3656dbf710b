/**
 * Test projects. `*.test.ts` runs in Node; those of the edge packages run unchanged in workerd too. `*.node.test.ts` needs
 * Node (files, processes, servers). Everything runs from source, without a build.
 *
 * `pnpm test` runs the short set: no `*.full.test.ts` and `*.full.node.test.ts`, smaller inputs, and in workerd only
 * `WORKERD_SHORT`. `pnpm test:all` (BROKERWIRE_TESTS=all) runs everything.
 */
import { availableParallelism } from 'node:os'
import { cloudflareTest } from '@cloudflare/vitest-pool-workers'
import { defineConfig } from 'vitest/config'
import { IS_FULL_RUN } from './packages/testing/src/full-run.ts'
import { ByProject } from './tools/ci/by-project.ts'

const SOURCE = '@brokerwire/source'
/**
 * Without `import` and `module`: Node gets these conditions too, and `require` in a package would then resolve to an ES module or to a
 * file that only bundlers can load.
 */
const NODE = [SOURCE, 'node', 'default']
const WORKERD = [SOURCE, 'workerd', 'worker', 'browser', 'module', 'import', 'default']
/** Packages as a runtime picks them, whichever way Vite resolves. */
const resolvedAs = (conditions: string[]) => ({ ssr: { resolve: { conditions } }, resolve: { conditions } })
/** Projects do not inherit it from the root. It is long, because tests wait for events on a busy machine too. */
const PATIENCE = { testTimeout: 60_000, expect: { poll: { timeout: 45_000 } } }
/** Transformed modules stay on disk, by content, for the next run. */
const KEPT = { fsModuleCache: true }
const EDGE_PACKAGES = [
  'core',
  'signer',
  'payloads',
  'operations',
  'orders',
  'otel',
  'protos',
  'tokens',
  'stores',
  'http',
  'quotes',
  'edge',
  'client',
]
/** Folders of entries that run everywhere, in packages for Node. */
const EDGE_FOLDERS = ['packages/relay/src/webhook']
const EDGE_TESTS = [
  ...EDGE_PACKAGES.map((name) => `packages/${name}/src/**/*.test.ts`),
  ...EDGE_FOLDERS.map((folder) => `${folder}/*.test.ts`),
]
/** Files of the short set in workerd: code that calls the runtime (crypto, fetch, WebSocket, timers), and the vectors. */
const WORKERD_SHORT = [
  'packages/signer/src/{vectors,verifier,sign-request,signed-fetch}.test.ts',
  'packages/core/src/{time/abort,time/time-limit,text/bytes,redaction/secret}.test.ts',
  'packages/http/src/*.test.ts',
  'packages/edge/src/**/*.test.ts',
  'packages/client/src/edge-service.test.ts',
  'packages/orders/src/{journal,may-be-sent}.test.ts',
  'packages/payloads/src/{decode,fixtures}.test.ts',
  'packages/protos/src/*.test.ts',
  'packages/tokens/src/client/*.test.ts',
  'packages/stores/src/{encrypted,durable-object}/*.test.ts',
  'packages/quotes/src/socket/*.test.ts',
  'packages/relay/src/webhook/*.test.ts',
]
/** Files that are not tests of this repository or, in the short set, run in the full set only. */
const LEFT_OUT = [
  '**/node_modules/**',
  '**/dist/**',
  ...(IS_FULL_RUN ? [] : ['**/*.full.test.ts', '**/*.full.node.test.ts']),
]

/**
 * workerd reports the body of a response that breaks off or is cancelled as another unhandled rejection, in addition to the
 * one that the reader handles. The stack of such a rejection has no line of code.
 */
const HOST_REPORTS = new Set(['Network connection lost.', 'Stream was cancelled.'])

export default defineConfig({
  // The global setup belongs to no project: it is resolved as the Node tests are.
  environments: {
    __vitest__: { resolve: { conditions: NODE } },
  },
  test: {
    onUnhandledError: ({ message, stack = '' }) => !HOST_REPORTS.has(message) || /\n\s+at /.test(stack),
    // More workers than cores, because tests wait for sockets, timers and processes.
    maxWorkers: availableParallelism() + 3,
    sequence: { sequencer: ByProject },
    globalSetup: [
      // Servers for tests in workerd, which cannot listen.
      './packages/http/src/test/service-host.ts',
      './packages/client/src/test/simulator-host.ts',
      './packages/testing/src/template-folder.ts',
      './packages/testing/src/full-run.ts',
    ],
    projects: [
      {
        ...resolvedAs(NODE),
        test: {
          name: 'node-edge',
          ...PATIENCE,
          environment: 'node',
          // Their modules have no shared state: a process for each file would take longer than its tests.
          isolate: false,
          experimental: KEPT,
          include: EDGE_TESTS,
          exclude: [...LEFT_OUT, '**/*.node.test.ts', '**/*.workerd.test.ts'],
        },
      },
      {
        ...resolvedAs(NODE),
        test: {
          name: 'node',
          ...PATIENCE,
          environment: 'node',
          // Nearly half of the time of a file is the loading of its modules. A worker keeps them for its next file, so a test
          // file that changes the process must restore it.
          isolate: false,
          experimental: KEPT,
          include: [
            'packages/*/src/**/*.test.ts',
            'packages/console/test/*.test.ts',
            'examples/**/*.test.ts',
            'site/*.test.ts',
            'tools/**/*.test.ts',
          ],
          exclude: [
            ...LEFT_OUT,
            '**/*.workerd.test.ts',
            // Those that run above.
            ...EDGE_PACKAGES.map((name) => `packages/${name}/src/**/!(*.node).test.ts`),
            ...EDGE_FOLDERS.map((folder) => `${folder}/!(*.node).test.ts`),
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
          include: IS_FULL_RUN ? EDGE_TESTS : WORKERD_SHORT,
          exclude: [...LEFT_OUT, '**/*.node.test.ts', '**/*.workerd.test.ts'],
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
