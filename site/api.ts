/** The API reference: TypeDoc writes a page for each public name into docs/reference/api. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Application, Converter, OptionDefaults, ReflectionKind } from 'typedoc'
import type { DefaultTheme } from 'vitepress'
import { publicPackages, sourceEntries } from '../tools/ci/lib/workspace.ts'
import { API, API_SIDEBAR, DOCS, ROOT } from './pages.ts'

/** Names of the entry points that users import, by source file. Entries named `internal` are for our packages. */
function entryPoints(): Map<string, string> {
  const entries = publicPackages().flatMap((pkg) =>
    [...sourceEntries(pkg, ['node'])]
      .filter(([subpath]) => !subpath.endsWith('/internal'))
      .map(([subpath, file]) => [join(ROOT, file), pkg.manifest.name + subpath.slice(1)] as const),
  )
  return new Map(entries)
}

/** @throws An error if TypeDoc cannot read the sources. */
export async function writeApiReference(): Promise<void> {
  const names = entryPoints()
  const app = await Application.bootstrapWithPlugins({
    entryPoints: [...names.keys()],
    tsconfig: join(ROOT, 'site/tsconfig.api.json'),
    plugin: ['typedoc-plugin-markdown', 'typedoc-vitepress-theme'],
    out: API,
    readme: 'none',
    router: 'module',
    excludeInternal: true,
    excludePrivate: true,
    excludeExternals: true,
    disableSources: true,
    hideGenerator: true,
    skipErrorChecking: true,
    logLevel: 'Error',
    blockTags: [...OptionDefaults.blockTags, '@generated', '@message', '@remedy', '@retryable'],
    // Options of the plugins, which the types do not have.
    ...{
      docsRoot: DOCS,
      entryFileName: 'index.md',
      hidePageHeader: true,
      hideBreadcrumbs: true,
      useCodeBlocks: true,
      // Links and anchors are made by one function, so that they agree.
      useHTMLAnchors: true,
      expandObjects: true,
      parametersFormat: 'table',
      interfacePropertiesFormat: 'table',
      classPropertiesFormat: 'table',
      typeDeclarationFormat: 'table',
      propertyMembersFormat: 'table',
      enumMembersFormat: 'table',
    },
  })
  // A module has the name that users import, instead of its path.
  app.converter.on(Converter.EVENT_CREATE_DECLARATION, (context, reflection) => {
    if (!reflection.kindOf(ReflectionKind.Module)) return
    const file = context.getSymbolFromReflection(reflection)?.declarations?.[0]?.getSourceFile().fileName
    reflection.name = names.get(file ?? '') ?? reflection.name
  })
  const project = await app.convert()
  if (project === undefined) throw new Error('TypeDoc cannot read the sources')
  await app.generateOutputs(project)
  shortenSidebar()
}

/** Keeps only the modules, because VitePress renders the sidebar into each of the pages. */
function shortenSidebar(): void {
  const modules = JSON.parse(readFileSync(API_SIDEBAR, 'utf8')) as DefaultTheme.SidebarItem[]
  const items = modules.map(({ text, link, items }) => ({ text, link: link ?? items?.[0]?.link }))
  writeFileSync(API_SIDEBAR, JSON.stringify(items))
}
