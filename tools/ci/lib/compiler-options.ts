/** The options of the workspace's compiler, for tools that make programs of their own. */
import { join } from 'node:path'
import ts from 'typescript'
import { ROOT } from './workspace.ts'

/** The options of `tsconfig.base.json`, with Node's types for the packages that use them. */
export function compilerOptions(): ts.CompilerOptions {
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.base.json'), ts.sys.readFile)
  const { options, errors } = ts.convertCompilerOptionsFromJson(config.compilerOptions, ROOT)
  if (errors.length > 0) throw new Error('tsconfig.base.json cannot be read')
  return { ...options, types: ['node'], typeRoots: [join(ROOT, 'tools/node_modules/@types')] }
}
