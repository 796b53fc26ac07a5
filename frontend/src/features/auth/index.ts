export { LoginPage } from './LoginPage';
export { SetupPage } from './SetupPage';
