/**
 * Tests of a mutated package: in Node, from the sources, with a few generated inputs that are always the
 * same.
 */
import { defineConfig } from 'vitest/config'

/** Without `import` and `module`, as in the configuration of the root: Node gets these too, and protobufjs would not find `long`. */
const conditions = ['@brokerwire/source', 'node', 'default']

export default defineConfig({
  ssr: { resolve: { conditions } },
  resolve: { conditions },
  test: { setupFiles: `${import.meta.dirname}/setup.ts` },
})
