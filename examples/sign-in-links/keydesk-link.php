<?php
/**
 * Plugin Name: Keydesk link
 * Description: Sends a signed-in user of this site on to the developer's pages of Keydesk. Put the shortcode [keydesk_link] on a page.
 * Version: 1.0
 * Requires PHP: 7.4
 *
 * In wp-config.php:
 *   define('KEYDESK_URL', 'https://keys.example.org');
 *   define('KEYDESK_PAGES', 'https://developers.example.org'); // KEYDESK_PORTAL_URL; else KEYDESK_URL
 *   define('KEYDESK_TOKEN', '...'); // an access token with act:developer and portal:write
 *
 * Users are developers of Keydesk under the id wp-<user id>, registered with their first visit, for
 * which portal:write is needed.
 */

if (!defined('ABSPATH')) {
    exit;
}

add_shortcode('keydesk_link', function () {
    if (!is_user_logged_in()) {
        return '<p><a href="' . esc_url(wp_login_url(get_permalink())) . '">' . esc_html__('Sign in to see your API keys') . '</a></p>';
    }
    return '<form method="post" action="' . esc_url(admin_url('admin-post.php')) . '">'
        . '<input type="hidden" name="action" value="keydesk_link">'
        . wp_nonce_field('keydesk_link', '_wpnonce', true, false)
        . '<button>' . esc_html__('My API keys') . '</button></form>';
});

add_action('admin_post_keydesk_link', function () {
    check_admin_referer('keydesk_link');
    $user = wp_get_current_user();
    if ($user->ID === 0) {
        wp_die(esc_html__('Sign in first.'), '', ['response' => 403]);
    }
    $id = 'wp-' . $user->ID;
    $answer = keydesk_call('POST', '/v1/developers/' . rawurlencode($id) . '/sign-in-links');
    if (wp_remote_retrieve_response_code($answer) === 404) {
        // Their first visit.
        keydesk_call('POST', '/v1/developers', [
            'id' => $id,
            'email' => $user->user_email,
            'fields' => ['name' => $user->display_name],
        ]);
        $answer = keydesk_call('POST', '/v1/developers/' . rawurlencode($id) . '/sign-in-links');
    }
    $link = json_decode(wp_remote_retrieve_body($answer), true);
    if (!is_array($link) || !isset($link['token'])) {
        wp_die(esc_html__('The keys can not be shown now. Try again in a moment.'), '', ['response' => 502]);
    }
    $pages = defined('KEYDESK_PAGES') ? KEYDESK_PAGES : KEYDESK_URL;
    nocache_headers();
    header('Referrer-Policy: no-referrer');
    // Behind "#": it is sent to no server. wp_safe_redirect knows only this site.
    header('Location: ' . $pages . '/portal/enter#' . rawurlencode($link['token']), true, 303);
    exit;
});

/** Calls Keydesk from this server; the token never reaches a browser. */
function keydesk_call($method, $path, $body = null)
{
    return wp_remote_request(KEYDESK_URL . $path, [
        'method' => $method,
        'timeout' => 5,
        'redirection' => 0,
        'headers' => ['Authorization' => KEYDESK_TOKEN, 'Content-Type' => 'application/json'],
        'body' => $body === null ? null : wp_json_encode($body),
    ]);
}
