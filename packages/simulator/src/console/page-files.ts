/**
 * Files of the console's page. The published package contains them. A checkout of the repository builds them
 * at the first use. All files are read when the console starts, so that a request path is never used as a
 * file path.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { SimulatorError } from '../simulator-error.ts'

/** A served file and its headers. */
export interface PageFile {
  readonly type: string
  readonly bytes: Uint8Array
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** Folder of the built files in the package. */
const PACKED = new URL('./console-page/', import.meta.url)
/** Build script in a checkout of the repository. The published package does not contain it. */
const BUILDER = new URL('../../../console/page.js', import.meta.url)

/**
 * Reads the files and returns them by request path.
 *
 * @throws SimulatorError `SIMULATOR_CONSOLE_FAILED`
 */
export async function readPageFiles(): Promise<ReadonlyMap<string, PageFile>> {
  const folder = existsSync(PACKED) ? fileURLToPath(PACKED) : await buildPage()
  const files = new Map<string, PageFile>()
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const type = TYPES[extname(entry.name)]
    if (!entry.isFile() || type === undefined) continue
    const file = join(entry.parentPath, entry.name)
    files.set(`/${relative(folder, file).split(sep).join('/')}`, { type, bytes: readFileSync(file) })
  }
  const index = files.get('/index.html')
  if (index === undefined) throw failed('the page is missing')
  return files.set('/', index)
}

async function buildPage(): Promise<string> {
  if (!existsSync(BUILDER)) throw failed('the page is not in this package')
  try {
    const { pageFolder } = (await import(BUILDER.href)) as { pageFolder: () => Promise<string> }
    return await pageFolder()
  } catch (error) {
    throw failed(error instanceof Error ? error.message : 'the page cannot be built')
  }
}

function failed(reason: string): SimulatorError<'SIMULATOR_CONSOLE_FAILED'> {
  return new SimulatorError('SIMULATOR_CONSOLE_FAILED', `console: ${reason}`, { details: { reason } })
}
