/**
 * `pnpm docs:dev` serves the documentation site and shows each change. `pnpm docs:build` writes it into
 * `site/.vitepress/dist`, and fails if a link has no target.
 */
import { fileURLToPath } from 'node:url'
import { build, createServer } from 'vitepress'
import { copyPages } from './pages.ts'

const SITE = fileURLToPath(new URL('.', import.meta.url))

copyPages()
if (process.argv[2] === 'dev') {
  const server = await createServer(SITE)
  await server.listen()
  server.printUrls()
} else await build(SITE)
