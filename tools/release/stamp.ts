/** Pure functions that change manifests and pages for packing. */
import { posix } from 'node:path'
import type { ProjectAddress } from './project-address.ts'

/**
 * Returns a manifest as it is published: with the project's address, without scripts and devDependencies.
 *
 * @param directory - Path from the root, for example `packages/core`.
 */
export function stampManifest(
  manifest: Readonly<Record<string, unknown>>,
  directory: string,
  address: ProjectAddress | undefined,
): Record<string, unknown> {
  const { name, version, description, scripts: _scripts, devDependencies: _used, ...rest } = manifest
  const origin = address && {
    repository: { type: 'git', url: `git+${address.repository}.git`, directory },
    homepage: address.homepage ?? `${address.repository}/tree/HEAD/${directory}#readme`,
    bugs: address.bugs ?? `${address.repository}/issues`,
    ...(address.author === undefined ? {} : { author: address.author }),
  }
  return { name, version, description, ...origin, ...rest }
}

/** Matches code between fences, which does not change, and links and images in the text. */
const FENCED_OR_LINK = /^( *)(`{3,}).*\n[\s\S]*?^ *\2`* *$|!?\[([^\]]*)\]\(([^)\s]+)\)/gm

/**
 * Returns a page as it is published. Relative links become absolute, or plain text if the project has no
 * address.
 *
 * @param file - The page's path from the root.
 * @param isFolder - Returns whether a path from the root is a folder. Links to folders have another form.
 */
export function stampPage(
  text: string,
  file: string,
  address: ProjectAddress | undefined,
  isFolder: (path: string) => boolean,
): string {
  return text.replace(FENCED_OR_LINK, (whole, _indent, fence, label: string, target: string) => {
    if (fence !== undefined || /^(?:[a-z][a-z\d+.-]*:|#)/i.test(target)) return whole
    if (address === undefined) return label
    const [path = '', heading] = target.split('#')
    const inRepository = posix.normalize(posix.join(posix.dirname(file), path)).replace(/\/$/, '')
    const kind = isFolder(inRepository) ? 'tree' : whole.startsWith('!') ? 'raw' : 'blob'
    const url = `${address.repository}/${kind}/HEAD/${encodeURI(inRepository)}`
    const link = heading === undefined ? url : `${url}#${heading}`
    return `${whole.startsWith('!') ? '!' : ''}[${label}](${link})`
  })
}
