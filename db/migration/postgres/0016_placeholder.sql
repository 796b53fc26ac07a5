-- Reserved for another change; it replaces this file.
SELECT 1;
