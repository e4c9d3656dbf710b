/**
 * What a package's page tells to install is what its code imports: a reader whose package manager keeps dependencies of
 * dependencies apart could not run the code otherwise.
 */
import { typescriptBlocks } from './blocks.ts'
import type { Document } from './compile.ts'

const PAGE = /^packages\/[^/]+\/README\.md$/
const INSTALL = /^npm install .*$/gm
const IMPORT = /(?:\bfrom|^import) '((?:@[^/']+\/)?[^/'.:]+)(?:\/[^']*)?'/gm

/** @returns `file: package: problem`, for each package that a page's code imports and no line of it installs. */
export function installProblems(documents: readonly Document[]): string[] {
  return documents
    .filter(({ file }) => PAGE.test(file))
    .flatMap(({ file, text }) => {
      const installed = new Set((text.match(INSTALL) ?? []).flatMap((line) => line.split(/\s+/)))
      const imported = typescriptBlocks(text).flatMap(({ code }) =>
        [...code.matchAll(IMPORT)].map(([, name = '']) => name),
      )
      return [...new Set(imported)]
        .filter((name) => !installed.has(name))
        .map((name) => `${file}: ${name}: imported by its code, installed by no "npm install" line`)
    })
}
