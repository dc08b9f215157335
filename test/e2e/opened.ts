import type { Page } from 'playwright-core';

type Opened = { readonly name: string; readonly hash: string; readonly open: (page: Page) => Promise<void> };

const inDialog = (open: (page: Page) => Promise<void>) => async (page: Page) => {
  await open(page);
  await page.getByRole('dialog').waitFor();
};
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).first();

/** What opens on top of a screen. */
export const OPENED: readonly Opened[] = [
  {
    name: 'search results',
    hash: '#/',
    open: async (page) => {
      await page.getByRole('searchbox').fill('the');
      await page.locator('mark').first().waitFor();
    },
  },
  {
    name: 'the filter',
    hash: '#/',
    open: async (page) => {
      await button(page, 'Filter').click();
      await page.getByRole('dialog', { name: 'Filter' }).waitFor();
    },
  },
  {
    name: 'the details of a file',
    hash: '#/files',
    open: inDialog((page) => button(page, '11-news-and-entities.wav').click()),
  },
  {
    name: 'the menu of a file',
    hash: '#/files',
    open: async (page) => {
      await button(page, 'More for 11-news-and-entities.wav').click();
      await page.getByRole('menuitem', { name: 'Delete' }).waitFor();
    },
  },
  { name: 'a new folder', hash: '#/files', open: inDialog((page) => button(page, 'New folder').click()) },
  { name: 'the pages that may use files', hash: '#/files', open: (page) => button(page, 'Change').click() },
];
