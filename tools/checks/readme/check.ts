/**
 * `pnpm check:readme`: every `ts` block of the documents and every example of a docstring compiles, every function that a
 * README names has an example, every program that they show is the tested one, every
 * page tells to install what its code imports, every link within the repository leads somewhere. `--update` copies the
 * programs.
 */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { report } from '../../ci/lib/report.ts'
import { ROOT } from '../../ci/lib/workspace.ts'
import { compileBlocks } from './compile.ts'
import { docstringDocuments, missingExamples } from './docstrings.ts'
import { readmeDocuments } from './documents.ts'
import { exampleProblems, withExamples } from './examples.ts'
import { installProblems } from './installs.ts'
import { linkProblems } from './links.ts'

if (process.argv.includes('--update')) {
  for (const document of await readmeDocuments()) {
    const text = await withExamples(document)
    if (text !== document.text) await writeFile(join(ROOT, document.file), text)
  }
}
const documents = await readmeDocuments()
const examples = await docstringDocuments()
const { blocks, problems } = compileBlocks([...documents, ...examples])
report(
  'readme blocks',
  [
    ...problems,
    ...(await exampleProblems(documents)),
    ...missingExamples(documents),
    ...installProblems(documents),
    ...linkProblems(documents),
  ],
  `${blocks} blocks in ${documents.length} documents and ${examples.length} sources compile`,
)
