/**
 * `pnpm docs:dev` serves the documentation site and shows each change. `pnpm docs:build` writes it into
 * `site/.vitepress/dist`, and fails if a link has no target.
 */
import { existsSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build, createServer } from 'vitepress'
import { writeApiReference } from './api.ts'
import { API, API_SIDEBAR, copyPages } from './pages.ts'

const SITE = fileURLToPath(new URL('.', import.meta.url))

const isDev = process.argv[2] === 'dev'
copyPages()
// The API reference takes half a minute, so `docs:dev` keeps one that exists.
if (!isDev) rmSync(API, { recursive: true, force: true })
if (!existsSync(API_SIDEBAR)) {
  const startMs = performance.now()
  await writeApiReference()
  console.log(`API reference: ${((performance.now() - startMs) / 1000).toFixed(1)} s`)
}
if (isDev) {
  const server = await createServer(SITE)
  await server.listen()
  server.printUrls()
} else await build(SITE)
