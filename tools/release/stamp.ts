/** Changes to manifests and pages when they are packed, as pure functions. */
import { posix } from 'node:path'
import type { Place } from './place.ts'

/**
 * A manifest as it is published: with the project's address, without scripts and devDependencies.
 *
 * @param directory - From the root, for example `packages/core`.
 */
export function stampManifest(
  manifest: Readonly<Record<string, unknown>>,
  directory: string,
  place: Place | undefined,
): Record<string, unknown> {
  const { name, version, description, scripts: _scripts, devDependencies: _used, ...rest } = manifest
  const origin = place && {
    repository: { type: 'git', url: `git+${place.repository}.git`, directory },
    homepage: place.homepage ?? `${place.repository}/tree/HEAD/${directory}#readme`,
    bugs: place.bugs ?? `${place.repository}/issues`,
    ...(place.author === undefined ? {} : { author: place.author }),
  }
  return { name, version, description, ...origin, ...rest }
}

/** Code between fences, which does not change, or a link or picture in the text. */
const FENCED_OR_LINK = /^( *)(`{3,}).*\n[\s\S]*?^ *\2`* *$|!?\[([^\]]*)\]\(([^)\s]+)\)/gm

/**
 * A page as it is published: relative links become absolute, or plain text if the project has no address.
 *
 * @param file - The page's path from the root.
 * @param isFolder - Whether a path from the root is a folder: its link needs another kind of page.
 */
export function stampPage(
  text: string,
  file: string,
  place: Place | undefined,
  isFolder: (path: string) => boolean,
): string {
  return text.replace(FENCED_OR_LINK, (whole, _indent, fence, label: string, target: string) => {
    if (fence !== undefined || /^(?:[a-z][a-z\d+.-]*:|#)/i.test(target)) return whole
    if (place === undefined) return label
    const [path = '', heading] = target.split('#')
    const inRepository = posix.normalize(posix.join(posix.dirname(file), path)).replace(/\/$/, '')
    const kind = isFolder(inRepository) ? 'tree' : whole.startsWith('!') ? 'raw' : 'blob'
    const address = `${place.repository}/${kind}/HEAD/${encodeURI(inRepository)}`
    const link = heading === undefined ? address : `${address}#${heading}`
    return `${whole.startsWith('!') ? '!' : ''}[${label}](${link})`
  })
}
