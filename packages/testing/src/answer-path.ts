/** Where a page sends its answer. In a file of its own, because pages import it. */
export const ANSWER_PATH = '/answer-of-the-page'
