/**
 * Builds the page: `node page.js` into `dist`, which `node page.js --into FOLDER` copies to where the simulator's tarball
 * takes it from; `node page.js --to FOLDER` builds elsewhere. `pageFolder` is called
 * by a simulator that runs from the sources: it builds at first use and when a source is newer, with a line that says so.
 *
 * Plain JavaScript, because it runs before anything was built and without a loader.
 */
import { cpSync, existsSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { argv, stderr } from 'node:process'
import { fileURLToPath } from 'node:url'

const HERE = fileURLToPath(new URL('.', import.meta.url))
const DIST = join(HERE, 'dist')
/** What the page is made of. */
const SOURCES = ['src', 'index.html', 'vite.config.js', '../signer/src', '../payloads/src', '../core/src']

/** The folder with the built page. */
export async function pageFolder() {
  if (newest([DIST]) > newest(SOURCES.map((name) => join(HERE, name)))) return DIST
  const startedAt = performance.now()
  stderr.write('brokerwire: building the console at first use ... ')
  await buildDist()
  stderr.write(`done in ${((performance.now() - startedAt) / 1000).toFixed(1)} s\n`)
  return DIST
}

/** When the latest of these files was changed; 0 where there is none. */
function newest(paths) {
  let latest = 0
  for (const path of paths) {
    if (!existsSync(path)) continue
    const stats = statSync(path)
    const inside = stats.isDirectory() ? newest(readdirSync(path).map((name) => join(path, name))) : 0
    latest = Math.max(latest, stats.isDirectory() ? inside : stats.mtimeMs)
  }
  return latest
}

/** Built aside and moved: two processes that build at once leave one whole page. */
async function buildDist() {
  const fresh = mkdtempSync(join(HERE, 'node_modules', 'page-'))
  try {
    await buildInto(fresh)
    rmSync(DIST, { recursive: true, force: true })
    renameSync(fresh, DIST)
  } catch (error) {
    // The other one was faster.
    if (!existsSync(join(DIST, 'index.html'))) throw error
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
}

async function buildInto(folder) {
  const { build } = await import('vite')
  await build({ root: HERE, logLevel: 'warn', build: { outDir: folder, emptyOutDir: true } })
}

if (argv[1] === fileURLToPath(import.meta.url)) {
  const [, , option, folder] = argv
  if (option === '--into') {
    rmSync(folder, { recursive: true, force: true })
    cpSync(DIST, folder, { recursive: true })
  } else if (option === '--to') await buildInto(folder)
  else await buildDist()
}
