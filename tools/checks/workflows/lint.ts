/**
 * What is wrong with a file of the host: for a workflow, what the host's own language service finds (keys, events,
 * expressions, jobs that do not exist); for any other, what a strict reader of YAML does.
 */
import { validate } from '@actions/languageservice'
import { TextDocument } from 'vscode-languageserver-textdocument'
import { parseDocument } from 'yaml'
import { type HostFile, isWorkflow } from './files.ts'

/** @returns `file:line: what`, for each finding; warnings are findings. */
export async function lint({ file, text }: HostFile): Promise<string[]> {
  const { errors, warnings } = parseDocument(text, { strict: true, uniqueKeys: true })
  const unreadable = [...errors, ...warnings].map(
    ({ linePos, message }) => `${file}:${linePos?.[0].line ?? 1}: ${message.split('\n')[0]}`,
  )
  if (unreadable.length > 0 || !isWorkflow(file)) return unreadable
  const found = await validate(TextDocument.create(`file:///${file}`, 'yaml', 1, text))
  return found.map(({ range, message }) => `${file}:${range.start.line + 1}: ${message}`)
}
