// The sections of the admin page, in the order of its tabs.
export const adminSections = ['overview', 'machine', 'users', 'plans', 'bots', 'settings'] as const;
export type AdminSection = (typeof adminSections)[number];
