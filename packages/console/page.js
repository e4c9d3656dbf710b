/**
 * The build of the page.
 *
 * - `node page.js` builds it into `dist`.
 * - `node page.js --into FOLDER` copies `dist` to the folder that the simulator's tarball contains.
 * - `node page.js --to FOLDER` builds it into another folder.
 * - `pageFolder()` is for a simulator that runs from the sources: it builds at first use, and if a source is newer than the page.
 *
 * Plain JavaScript, because it runs before any build and without a loader.
 */
import { cpSync, existsSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { argv, stderr } from 'node:process'
import { fileURLToPath } from 'node:url'

const HERE = fileURLToPath(new URL('.', import.meta.url))
const DIST = join(HERE, 'dist')
/** The sources of the page. */
const SOURCES = ['src', 'index.html', 'vite.config.js', '../signer/src', '../payloads/src', '../core/src']

/** Returns the folder with the built page. */
export async function pageFolder() {
  if (newest([DIST]) > newest(SOURCES.map((name) => join(HERE, name)))) return DIST
  const startedAt = performance.now()
  stderr.write('brokerwire: building the console at first use ... ')
  await buildDist()
  stderr.write(`done in ${((performance.now() - startedAt) / 1000).toFixed(1)} s\n`)
  return DIST
}

/** Latest modification time of these files; 0 if there are none. */
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

/** Builds into another folder and renames it, so that two builds at the same time leave one complete page. */
async function buildDist() {
  const fresh = mkdtempSync(join(HERE, 'node_modules', 'page-'))
  try {
    await buildInto(fresh)
    rmSync(DIST, { recursive: true, force: true })
    renameSync(fresh, DIST)
  } catch (error) {
    // Another build has just renamed its folder.
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
