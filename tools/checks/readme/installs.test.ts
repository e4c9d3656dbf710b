import { expect, test } from 'vitest'
import { installProblems } from './installs.ts'

const fence = '`'.repeat(3)
const page = (install: string, code: string, file = 'packages/signer/README.md') => [
  { file, text: `${fence}sh\n${install}\n${fence}\n\n${fence}ts\n${code}\n${fence}\n` },
]

test('a package that code imports has to be in a line that installs', () => {
  const code =
    "import { a } from '@brokerwire/core/endpoints'\nimport {\n  b,\n} from 'left-pad'\nimport '@scope/side-effect'"
  expect(installProblems(page('npm install @brokerwire/core', code))).toEqual([
    'packages/signer/README.md: left-pad: imported by its code, installed by no "npm install" line',
    'packages/signer/README.md: @scope/side-effect: imported by its code, installed by no "npm install" line',
  ])
  expect(installProblems(page('npm install left-pad @brokerwire/core @scope/side-effect', code))).toEqual([])
})

test('modules of Node, files beside it, and documents that are no page of a package need no line', () => {
  const code = "import { readFile } from 'node:fs/promises'\nimport { x } from './x.ts'"
  expect(installProblems(page('', code))).toEqual([])
  expect(installProblems(page('', "import { a } from 'left-pad'", 'STYLE.md'))).toEqual([])
})
