/** The tests of the package that is mutated: Node alone, from the sources, without the set-up of other packages. */
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const CONDITIONS = ['@brokerwire/source', 'node', 'module', 'import', 'default']

export default defineConfig({
  ssr: { resolve: { conditions: CONDITIONS } },
  resolve: { conditions: CONDITIONS },
  test: {
    include: [`${process.env.MUTATED_SOURCES}/**/*.test.ts`],
    setupFiles: fileURLToPath(new URL('./setup.ts', import.meta.url)),
  },
})
