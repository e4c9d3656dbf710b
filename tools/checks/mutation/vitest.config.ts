/**
 * Tests of a mutated package: in Node, from the sources, with a few generated inputs that are always the
 * same.
 */
import { defineConfig } from 'vitest/config'

const conditions = ['@brokerwire/source', 'node', 'module', 'import', 'default']

export default defineConfig({
  ssr: { resolve: { conditions } },
  resolve: { conditions },
  test: { setupFiles: `${import.meta.dirname}/setup.ts` },
})
