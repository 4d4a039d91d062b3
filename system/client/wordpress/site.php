<?php
/**
 * As much of WordPress as the plugin asks for, for PHP's own web server: who is signed in stands in
 * the cookie "user", "/" is a page with the shortcode, and admin-post.php runs the actions of whom
 * is signed in, as WordPress does. Nonces are of a user and an action.
 */
define('ABSPATH', __DIR__);
define('KEYDESK_URL', getenv('KEYDESK_URL'));
define('KEYDESK_PAGES', getenv('KEYDESK_PAGES'));
define('KEYDESK_TOKEN', getenv('KEYDESK_TOKEN'));

$shortcodes = [];
$actions = [];

function add_shortcode($tag, $run) { global $shortcodes; $shortcodes[$tag] = $run; }
function add_action($hook, $run) { global $actions; $actions[$hook] = $run; }
function wp_get_current_user()
{
    $id = (int) ($_COOKIE['user'] ?? 0);
    return (object) ['ID' => $id, 'user_email' => "user-$id@example.org", 'display_name' => "User <$id>"];
}
function is_user_logged_in() { return wp_get_current_user()->ID !== 0; }
function esc_url($url) { return htmlspecialchars($url, ENT_QUOTES); }
function esc_html__($text) { return htmlspecialchars($text, ENT_QUOTES); }
function get_permalink() { return '/'; }
function wp_login_url($to) { return '/wp-login.php?redirect_to=' . rawurlencode($to); }
function admin_url($path) { return "/wp-admin/$path"; }
function nonce($action) { return hash_hmac('sha256', $action . wp_get_current_user()->ID, 'salt'); }
function wp_nonce_field($action, $name, $referer, $display)
{
    return '<input type="hidden" name="' . $name . '" value="' . nonce($action) . '">';
}
function check_admin_referer($action)
{
    if (!hash_equals(nonce($action), $_POST['_wpnonce'] ?? '')) wp_die('expired', '', ['response' => 403]);
}
function wp_die($message, $title, $args)
{
    http_response_code($args['response']);
    exit($message);
}
function nocache_headers() { header('Cache-Control: no-cache, must-revalidate, max-age=0, no-store, private'); }
function wp_json_encode($value) { return json_encode($value); }
function wp_remote_request($url, $args)
{
    $lines = [];
    foreach ($args['headers'] as $name => $value) $lines[] = "$name: $value";
    $body = file_get_contents($url, false, stream_context_create(['http' => [
        'method' => $args['method'],
        'timeout' => $args['timeout'],
        'follow_location' => 0,
        'ignore_errors' => true,
        'header' => $lines,
        'content' => $args['body'] ?? '',
    ]]));
    return ['status' => (int) explode(' ', $http_response_header[0])[1], 'body' => $body];
}
function wp_remote_retrieve_response_code($answer) { return $answer['status']; }
function wp_remote_retrieve_body($answer) { return $answer['body']; }

require getenv('PLUGIN');

if ($_SERVER['REQUEST_URI'] === '/') {
    echo $shortcodes['keydesk_link']();
} else {
    $hook = (is_user_logged_in() ? 'admin_post_' : 'admin_post_nopriv_') . ($_POST['action'] ?? '');
    if (!isset($actions[$hook])) wp_die('no such action', '', ['response' => 400]);
    $actions[$hook]();
}
