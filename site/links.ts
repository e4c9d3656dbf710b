/** Links of the pages: a rule that resolves them, and a check of the built site. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import type { MarkdownRenderer } from 'vitepress'
import { linkOnSite, sourceOf } from './pages.ts'

/**
 * Resolves relative links from the document in the repository, whose folder differs from that of the page. A link
 * without a target on the site becomes plain text.
 */
export function resolveLinks(md: MarkdownRenderer): void {
  md.core.ruler.push('links_on_site', ({ tokens, env }) => {
    if (env.relativePath === undefined) return
    const source = sourceOf(env.relativePath)
    if (source.startsWith('docs/reference/api/')) return
    for (const { children } of tokens) {
      let isDropped = false
      for (const token of children ?? []) {
        const name = token.type === 'image' ? 'src' : 'href'
        const target = token.attrGet(name)
        if (target !== null) {
          const url = linkOnSite(source, decodeURI(target))
          isDropped = url === undefined
          if (url !== undefined) token.attrSet(name, url)
        }
        if (isDropped && token.type.startsWith('link_')) token.type = 'text'
      }
    }
  })
}

/** Returns the links to pages and headings of the built site that do not exist. */
export function deadLinks(folder: string): string[] {
  const pages = new Map(
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.html'))
      .map((file) => [`/${file}`, readFileSync(join(folder, file), 'utf8')]),
  )
  const anchors = new Map(
    [...pages].map(([page, html]) => [
      page,
      new Set([...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id)),
    ]),
  )
  return [...pages].flatMap(([page, html]) => {
    const links = new Set([...html.matchAll(/<a [^>]*?href="([^":]*)"/g)].map(([, href = '']) => href))
    return [...links].flatMap((href) => {
      const [path = '', heading] = decodeURI(href).split('#')
      const target =
        path === ''
          ? page
          : posix.join(
              posix.dirname(page),
              path.startsWith('/') ? posix.relative(posix.dirname(page), path) : path,
            )
      const found = [target, `${target}.html`, `${target}index.html`].find((file) => pages.has(file))
      if (found === undefined)
        return existsSync(join(folder, target)) ? [] : [`${page}: ${href}: no such page`]
      return heading === undefined || heading === '' || anchors.get(found)?.has(heading)
        ? []
        : [`${page}: ${href}: no such heading`]
    })
  })
}
