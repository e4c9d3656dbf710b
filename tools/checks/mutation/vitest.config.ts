/** Tests of a mutated package: in Node, from the sources, with few made-up inputs that never change. */
import { defineConfig } from 'vitest/config'

const conditions = ['@brokerwire/source', 'node', 'module', 'import', 'default']

export default defineConfig({
  ssr: { resolve: { conditions } },
  resolve: { conditions },
  test: { setupFiles: `${import.meta.dirname}/setup.ts` },
})
